import { ReactNode, useEffect, useId, useRef, useState } from 'react';
import Button from '@material-ui/core/Button';
import Checkbox from '@material-ui/core/Checkbox';
import FormControlLabel from '@material-ui/core/FormControlLabel';
import InputAdornment from '@material-ui/core/InputAdornment';
import Popover from '@material-ui/core/Popover';
import TextField from '@material-ui/core/TextField';
import { makeStyles } from '@material-ui/core/styles';
import { quietColour } from './tone';
import ArrowDropDownIcon from '@material-ui/icons/ArrowDropDown';
import CloseIcon from '@material-ui/icons/Close';
import SearchIcon from '@material-ui/icons/Search';

const useStyles = makeStyles(theme => ({
  bar: {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: theme.spacing(1),
    marginBottom: theme.spacing(1.5),
  },
  search: { flex: '1 1 220px', maxWidth: 360 },
  spring: { flex: 1 },
  active: { fontWeight: 700 },
  chips: {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: theme.spacing(0.5),
    marginBottom: theme.spacing(1.5),
  },
  chip: {
    textTransform: 'none',
    fontWeight: 400,
    borderRadius: 16,
    padding: theme.spacing(0, 1),
    maxWidth: '100%',
    overflowWrap: 'anywhere',
  },
  paper: { padding: theme.spacing(2), width: 320, maxWidth: '90vw' },
  group: {
    border: 0,
    margin: 0,
    padding: 0,
    maxHeight: 320,
    overflowY: 'auto',
  },
  legend: { fontWeight: 600, padding: 0, marginBottom: theme.spacing(1) },
  option: {
    display: 'flex',
    marginLeft: theme.spacing(-1),
    marginRight: 0,
    '& .MuiFormControlLabel-label': {
      flex: 1,
      display: 'flex',
      justifyContent: 'space-between',
      gap: theme.spacing(1),
      overflowWrap: 'anywhere',
    },
  },
  count: {
    color: quietColour(theme),
    fontVariantNumeric: 'tabular-nums',
  },
}));

/** A row of search, filters and actions. */
export const FilterBar = (props: { children: ReactNode; end?: ReactNode }) => {
  const classes = useStyles();
  return (
    <div className={classes.bar} role="search">
      {props.children}
      <span className={classes.spring} />
      {props.end}
    </div>
  );
};

/** A search field that reports what was typed once the typing rests. */
export const SearchField = (props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  delay?: number;
}) => {
  const { label, value, onChange, delay = 300 } = props;
  const classes = useStyles();
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const report = useRef(onChange);
  report.current = onChange;

  // The address changed by other means, such as the back button.
  useEffect(() => {
    if (value !== reported.current) {
      reported.current = value;
      setText(value);
    }
  }, [value]);

  useEffect(() => {
    if (text === reported.current) return undefined;
    const timer = setTimeout(() => {
      reported.current = text;
      report.current(text);
    }, delay);
    return () => clearTimeout(timer);
  }, [text, delay]);

  return (
    <TextField
      className={classes.search}
      variant="outlined"
      size="small"
      type="search"
      placeholder={label}
      value={text}
      onChange={event => setText(event.target.value)}
      inputProps={{ 'aria-label': label, maxLength: 200 }}
      InputProps={{
        startAdornment: (
          <InputAdornment position="start">
            <SearchIcon aria-hidden fontSize="small" />
          </InputAdornment>
        ),
      }}
    />
  );
};

/** A value that can be filtered by. */
export interface FilterOption {
  value: string;
  label?: string;
  count?: number;
}

/** A button that opens a list of values to tick. */
export const FilterMenu = (props: {
  label: string;
  options: FilterOption[];
  selected: string[];
  onChange: (selected: string[]) => void;
}) => {
  const { label, options, selected, onChange } = props;
  const classes = useStyles();
  const id = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [search, setSearch] = useState('');
  const wanted = search.toLocaleLowerCase('en');
  // What is in the address but not among the values stays visible, so that it can be unticked.
  const all = [
    ...options,
    ...selected
      .filter(value => !options.some(option => option.value === value))
      .map(value => ({ value })),
  ] as FilterOption[];
  const shown = all.filter(({ value, label: text }) =>
    `${text ?? ''} ${value}`.toLocaleLowerCase('en').includes(wanted),
  );
  const toggle = (value: string) =>
    onChange(
      selected.includes(value)
        ? selected.filter(one => one !== value)
        : [...selected, value],
    );
  return (
    <>
      <Button
        variant="outlined"
        aria-haspopup="dialog"
        aria-expanded={Boolean(anchor)}
        endIcon={<ArrowDropDownIcon aria-hidden />}
        className={selected.length > 0 ? classes.active : undefined}
        onClick={event => setAnchor(event.currentTarget)}
        style={{ textTransform: 'none' }}
      >
        {label}
        {selected.length > 0 && ` (${selected.length})`}
      </Button>
      <Popover
        open={Boolean(anchor)}
        anchorEl={anchor}
        onClose={() => setAnchor(null)}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
        PaperProps={
          {
            className: classes.paper,
            role: 'dialog',
            'aria-label': `Filter by ${label}`,
          } as object
        }
      >
        {all.length > 8 && (
          <TextField
            fullWidth
            variant="outlined"
            size="small"
            label={`Find ${label.toLocaleLowerCase('en')}`}
            value={search}
            onChange={event => setSearch(event.target.value)}
            style={{ marginBottom: 8 }}
          />
        )}
        <fieldset className={classes.group} id={id}>
          <legend className={classes.legend}>{label}</legend>
          {shown.map(({ value, label: text, count }) => (
            <FormControlLabel
              key={value}
              className={classes.option}
              control={
                <Checkbox
                  size="small"
                  color="primary"
                  checked={selected.includes(value)}
                  onChange={() => toggle(value)}
                />
              }
              label={
                <>
                  <span>{text ?? value}</span>
                  {count !== undefined && (
                    <span className={classes.count}>{count}</span>
                  )}
                </>
              }
            />
          ))}
          {shown.length === 0 && 'No such value.'}
        </fieldset>
      </Popover>
    </>
  );
};

/** The filters in force, each with a button that takes it away. */
export const ActiveFilters = (props: {
  filters: Array<{ name: string; label: string; onRemove: () => void }>;
  onClear: () => void;
}) => {
  const classes = useStyles();
  if (props.filters.length === 0) return null;
  return (
    <div className={classes.chips}>
      {props.filters.map(({ name, label, onRemove }) => (
        <Button
          key={`${name} ${label}`}
          size="small"
          variant="outlined"
          className={classes.chip}
          endIcon={<CloseIcon aria-hidden />}
          aria-label={`Remove filter ${name}: ${label}`}
          onClick={onRemove}
        >
          {name}: {label}
        </Button>
      ))}
      <Button
        size="small"
        onClick={props.onClear}
        style={{ textTransform: 'none' }}
      >
        Clear all
      </Button>
    </div>
  );
};
