import { useState } from 'react';
import Button from '@material-ui/core/Button';
import { makeStyles } from '@material-ui/core/styles';
import GetAppIcon from '@material-ui/icons/GetApp';

const useStyles = makeStyles(theme => ({
  error: { color: theme.palette.text.primary, maxWidth: 260 },
}));

/** Saves all rows that the filters take, not only this page, as a CSV file. */
export const CsvButton = (props: {
  load: () => Promise<string>;
  fileName: string;
}) => {
  const classes = useStyles();
  const [state, setState] = useState<'idle' | 'busy' | Error>('idle');
  const download = async () => {
    setState('busy');
    try {
      save(await props.load(), props.fileName);
      setState('idle');
    } catch (error) {
      setState(error as Error);
    }
  };
  return (
    <>
      {state instanceof Error && (
        <span role="alert" className={classes.error}>
          No file: {state.message}
        </span>
      )}
      <Button
        variant="outlined"
        startIcon={<GetAppIcon aria-hidden />}
        disabled={state === 'busy'}
        onClick={download}
        style={{ textTransform: 'none' }}
      >
        {state === 'busy' ? 'Preparing…' : 'CSV'}
      </Button>
    </>
  );
};

function save(text: string, fileName: string) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
