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

const codeLine =
  /^\s*(\$ )?(kubectl|istioctl|helm|linkerd|cilium|apiVersion:|- |[a-z][\w./-]*:( |$)|[{}[\]])/;

/** Splits a fix into prose and code: a paragraph is code where each of its lines reads as YAML or a command. */
export function splitFix(fix: string): Array<{ code: boolean; text: string }> {
  const parts: Array<{ code: boolean; text: string }> = [];
  for (const line of fix.replace(/^```.*$/gm, '').split('\n')) {
    const last = parts[parts.length - 1];
    const continues = last?.code && (/^\s+\S/.test(line) || line === '---');
    const code = continues || codeLine.test(line);
    if (line.trim() === '') continue;
    if (last && last.code === code) last.text += `\n${line}`;
    else parts.push({ code, text: line });
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
