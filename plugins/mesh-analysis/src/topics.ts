/** The topics of the product. Each has a room of the same name in every package. @public */
export type Topic =
  | 'catalog'
  | 'gateway'
  | 'export'
  | 'trust'
  | 'isolation'
  | 'acceleration'
  | 'upgrade'
  | 'load';
