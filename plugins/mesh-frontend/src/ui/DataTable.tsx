import { Fragment, ReactNode, useId } from 'react';
import IconButton from '@material-ui/core/IconButton';
import Table from '@material-ui/core/Table';
import TableBody from '@material-ui/core/TableBody';
import TableCell from '@material-ui/core/TableCell';
import TableHead from '@material-ui/core/TableHead';
import TableRow from '@material-ui/core/TableRow';
import TableSortLabel from '@material-ui/core/TableSortLabel';
import useMediaQuery from '@material-ui/core/useMediaQuery';
import { makeStyles, useTheme } from '@material-ui/core/styles';
import { OnlyRead } from './OnlyRead';
import { quietColour, underlined } from './tone';
import KeyboardArrowDownIcon from '@material-ui/icons/KeyboardArrowDown';
import KeyboardArrowRightIcon from '@material-ui/icons/KeyboardArrowRight';

/** One column of a table. The first one names the row. */
export interface Column<TRow> {
  id: string;
  header: string;
  cell: (row: TRow) => ReactNode;
  /** The value of `sort` that orders by this column. */
  sort?: string;
  /** The order of the first press: most often what one looks for stands at one end. */
  first?: 'asc' | 'desc';
  align?: 'right';
  /** Moves under the name of the row where the window is narrower. */
  hideBelow?: 'sm' | 'md' | 'lg';
}

/** Which column the rows are ordered by, and what to do when a header is pressed. */
export interface Sorting {
  by: string;
  order: 'asc' | 'desc';
  onChange: (by: string, order: 'asc' | 'desc') => void;
}

/** Which rows show their details in place. */
export interface Expansion<TRow> {
  open: ReadonlySet<string>;
  onToggle: (key: string) => void;
  label: (row: TRow) => string;
  details: (row: TRow) => ReactNode;
}

const useStyles = makeStyles(theme => ({
  scroll: {
    overflowX: 'auto',
    '&:focus-visible': { outline: `2px solid ${theme.palette.primary.main}` },
  },
  table: {
    '& th, & td': {
      padding: theme.spacing(1, 1.5),
      verticalAlign: 'top',
      lineHeight: 1.45,
      // Names break between words, not within them; what is too wide scrolls.
      wordBreak: 'normal',
      overflowWrap: 'break-word',
    },
    '& a': underlined,
    '& thead th': {
      whiteSpace: 'nowrap',
      color: quietColour(theme),
      fontWeight: 600,
      borderBottom: `2px solid ${theme.palette.divider}`,
    },
    '& tbody th': { fontWeight: 400 },
  },
  row: { '&:hover': { background: theme.palette.action.hover } },
  toggle: { width: 1, '&&': { paddingRight: 0 } },
  toggleButton: { margin: theme.spacing(-0.5) },
  details: {
    '&&': { paddingLeft: theme.spacing(6), paddingBottom: theme.spacing(2) },
    [theme.breakpoints.down('sm')]: { '&&': { paddingLeft: theme.spacing(2) } },
  },
  moved: { color: quietColour(theme), fontSize: '0.85rem' },
  numeric: { fontVariantNumeric: 'tabular-nums' },
  busy: { opacity: 0.6, transition: 'opacity 0.15s 0.2s' },
}));

/**
 * The table of all pages: headers that sort, rows that open in place, columns
 * that make room in a narrow window, and the keyboard reaches everything.
 */
export function DataTable<TRow>(props: {
  /** Says what the table holds; read out, not drawn. */
  label: string;
  columns: Column<TRow>[];
  rows: TRow[];
  rowKey: (row: TRow) => string;
  sorting?: Sorting;
  expansion?: Expansion<TRow>;
  /** True while rows of an earlier question are still shown. */
  busy?: boolean;
}) {
  const { label, rows, rowKey, sorting, expansion, busy } = props;
  const classes = useStyles();
  const { fitting: columns, moved } = useFittingColumns(props.columns);
  const id = useId();
  const width = columns.length + (expansion ? 1 : 0);
  return (
    <div
      className={`${classes.scroll} ${busy ? classes.busy : ''}`}
      role="region"
      aria-label={`${label} (table)`}
      aria-busy={busy || undefined}
      // A region that scrolls must be reachable by keyboard.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      <Table size="small" className={classes.table} aria-label={label}>
        <TableHead>
          <TableRow>
            {expansion && (
              <TableCell scope="col" className={classes.toggle}>
                <OnlyRead>Details</OnlyRead>
              </TableCell>
            )}
            {columns.map(column => (
              <HeaderCell key={column.id} column={column} sorting={sorting} />
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map(row => {
            const key = rowKey(row);
            const open = expansion?.open.has(key) ?? false;
            const detailsId = `${id}-${key}`;
            return (
              <Fragment key={key}>
                <TableRow className={classes.row}>
                  {expansion && (
                    <TableCell className={classes.toggle}>
                      <IconButton
                        size="small"
                        className={classes.toggleButton}
                        aria-expanded={open}
                        aria-controls={open ? detailsId : undefined}
                        aria-label={`Details of ${expansion.label(row)}`}
                        onClick={() => expansion.onToggle(key)}
                      >
                        {open ? (
                          <KeyboardArrowDownIcon />
                        ) : (
                          <KeyboardArrowRightIcon />
                        )}
                      </IconButton>
                    </TableCell>
                  )}
                  {columns.map((column, index) => (
                    <TableCell
                      key={column.id}
                      align={column.align}
                      className={column.align ? classes.numeric : undefined}
                      {...(index === 0
                        ? { component: 'th', scope: 'row', role: 'rowheader' }
                        : {})}
                    >
                      {column.cell(row)}
                      {index === 0 &&
                        moved.map(one => (
                          <div key={one.id} className={classes.moved}>
                            {one.header}: {one.cell(row)}
                          </div>
                        ))}
                    </TableCell>
                  ))}
                </TableRow>
                {open && (
                  <TableRow id={detailsId}>
                    <TableCell colSpan={width} className={classes.details}>
                      {expansion!.details(row)}
                    </TableCell>
                  </TableRow>
                )}
              </Fragment>
            );
          })}
        </TableBody>
      </Table>
    </div>
  );
}

function HeaderCell<TRow>(props: { column: Column<TRow>; sorting?: Sorting }) {
  const { column, sorting } = props;
  if (!sorting || !column.sort) {
    return (
      <TableCell scope="col" align={column.align}>
        {column.header}
      </TableCell>
    );
  }
  const active = sorting.by === column.sort;
  const { first = 'asc' } = column;
  const opposite = sorting.order === 'asc' ? 'desc' : 'asc';
  const next = active ? opposite : first;
  return (
    <TableCell
      scope="col"
      align={column.align}
      sortDirection={active ? sorting.order : false}
      // Cells are read out with the name of their column, not with that of its button.
      aria-label={column.header}
    >
      <TableSortLabel
        active={active}
        aria-label={`Sort by ${column.header}`}
        direction={active ? sorting.order : first}
        onClick={() => sorting.onChange(column.sort!, next)}
      >
        {column.header}
      </TableSortLabel>
    </TableCell>
  );
}

function useFittingColumns<TRow>(columns: Column<TRow>[]): {
  fitting: Column<TRow>[];
  moved: Column<TRow>[];
} {
  const theme = useTheme();
  const options = { noSsr: true };
  const fits = {
    sm: useMediaQuery(theme.breakpoints.up('sm'), options),
    md: useMediaQuery(theme.breakpoints.up('md'), options),
    lg: useMediaQuery(theme.breakpoints.up('lg'), options),
  };
  const fitting = columns.filter(
    ({ hideBelow }) => !hideBelow || fits[hideBelow],
  );
  return {
    fitting,
    moved: columns.filter(column => !fitting.includes(column)),
  };
}
