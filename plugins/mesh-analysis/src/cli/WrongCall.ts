/** The tool was called wrongly: one line that says how it is called rightly. */
export class WrongCall extends Error {}
