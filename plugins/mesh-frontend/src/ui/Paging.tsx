import Button from '@material-ui/core/Button';
import { makeStyles } from '@material-ui/core/styles';
import { quietColour } from './tone';

const useStyles = makeStyles(theme => ({
  root: {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    justifyContent: 'flex-end',
    gap: theme.spacing(1),
    marginTop: theme.spacing(1.5),
  },
  text: { marginRight: 'auto', color: quietColour(theme) },
}));

/** Previous and next, and where in the whole one is. */
export const Paging = (props: {
  text: string;
  page: number;
  onFirst?: () => void;
  onPrevious?: () => void;
  onNext?: () => void;
}) => {
  const { text, page, onFirst, onPrevious, onNext } = props;
  const classes = useStyles();
  return (
    <nav className={classes.root} aria-label="Pages">
      <span className={classes.text} role="status">
        {text}
        {page > 1 && `, page ${page}`}
      </span>
      {page > 1 && !onPrevious && (
        <Button variant="outlined" onClick={onFirst}>
          First page
        </Button>
      )}
      {(onPrevious || onNext) && (
        <>
          <Button
            variant="outlined"
            disabled={!onPrevious}
            onClick={onPrevious}
          >
            Previous
          </Button>
          <Button variant="outlined" disabled={!onNext} onClick={onNext}>
            Next
          </Button>
        </>
      )}
    </nav>
  );
};
