import { CopyTextButton } from '@backstage/core-components';
import { makeStyles } from '@material-ui/core/styles';

const useStyles = makeStyles(theme => ({
  block: {
    position: 'relative',
    display: 'flex',
    alignItems: 'flex-start',
    border: `1px solid ${theme.palette.divider}`,
    borderRadius: theme.shape.borderRadius,
    background: theme.palette.background.default,
    margin: theme.spacing(0.5, 0),
  },
  code: {
    flex: 1,
    minWidth: 0,
    margin: 0,
    padding: theme.spacing(1),
    overflowX: 'auto',
    fontFamily: 'Menlo, Consolas, monospace',
    fontSize: '0.85rem',
    lineHeight: 1.5,
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
  },
  prose: { margin: theme.spacing(0.5, 0) },
}));

/** YAML, JSON or a command, ready to copy. */
export const CopyableCode = (props: { code: string; label: string }) => {
  const classes = useStyles();
  return (
    <div className={classes.block}>
      <pre className={classes.code}>
        <code>{props.code}</code>
      </pre>
      <CopyTextButton text={props.code} aria-label={`Copy ${props.label}`} />
    </div>
  );
};

const capital = (text: string) =>
  text.charAt(0).toLocaleUpperCase('en') + text.slice(1);

const yamlLine = /^\s*(apiVersion:|- |[a-z][\w./-]*:( |$)|[{}[\]])/;

/** A command, after the start of the line or a colon, up to where prose goes on. */
const command =
  /(^|: )((?:kubectl|istioctl|helm|linkerd|cilium) [a-z-].*?)(?=(?:, or |; then |; or |\.?\s*$))(.*)$/;

type Part = { code: boolean; text: string };

/** Splits a fix into prose and code, so that commands and YAML can be copied and nothing else is. */
export function splitFix(fix: string): Part[] {
  const parts: Part[] = [];
  const add = (part: Part, joins: boolean) => {
    const last = parts[parts.length - 1];
    if (joins && last?.code === part.code) last.text += `\n${part.text}`;
    else parts.push(part);
  };
  for (const line of fix.replace(/^```.*$/gm, '').split('\n')) {
    if (line.trim() === '') continue;
    const last = parts[parts.length - 1];
    const found = command.exec(line);
    if (last?.code && (/^\s+\S/.test(line) || line === '---')) {
      add({ code: true, text: line }, true);
    } else if (found) {
      const before = line.slice(0, found.index + found[1].length).trim();
      const after = found[3].replace(/^[,;.]\s*/, '');
      if (before) add({ code: false, text: before }, true);
      add({ code: true, text: found[2] }, before === '');
      if (after) add({ code: false, text: capital(after) }, true);
    } else {
      add({ code: yamlLine.test(line), text: line }, true);
    }
  }
  return parts;
}

/** What to do about a finding. Commands and YAML can be copied. */
export const Fix = (props: { fix: string }) => {
  const classes = useStyles();
  return (
    <>
      {splitFix(props.fix).map((part, index) =>
        part.code ? (
          <CopyableCode key={index} code={part.text} label="the fix" />
        ) : (
          <p key={index} className={classes.prose}>
            {part.text}
          </p>
        ),
      )}
    </>
  );
};
