import { useId } from 'react';
import { makeStyles, useTheme } from '@material-ui/core/styles';
import { linkStates, toneColour, quietColour } from '../ui';
import { Arrow, LinkState, worstLinks } from './linkedAlike';

const useStyles = makeStyles(theme => ({
  figure: { margin: theme.spacing(0, 0, 2), overflowX: 'auto' },
  picture: { display: 'block', width: '100%', margin: '0 auto' },
  node: {
    fill: theme.palette.background.default,
    stroke: quietColour(theme),
  },
  name: { fill: theme.palette.text.primary, fontWeight: 600, fontSize: 14 },
  note: { fill: quietColour(theme), fontSize: 12 },
  legend: {
    display: 'flex',
    flexWrap: 'wrap',
    gap: theme.spacing(0.5, 2),
    fontSize: '0.85rem',
  },
  entry: {
    display: 'inline-flex',
    alignItems: 'center',
    gap: theme.spacing(0.75),
  },
}));

/** A cluster, or several that are linked alike. */
export interface Node {
  name: string;
  /** How many clusters the box stands for besides the named one. */
  more: number;
  note: string;
}

const nodeWidth = 170;
const nodeHeight = 54;
const dashes: Record<LinkState, string | undefined> = {
  active: undefined,
  broken: '9 6',
  suppressed: '2 5',
  unknown: '9 4 2 4',
};

/** Where the nodes stand: two side by side, more on an ellipse. */
export function layout(count: number): {
  width: number;
  height: number;
  points: Array<{ x: number; y: number }>;
} {
  if (count <= 2) {
    return {
      width: 560,
      height: 130,
      points: [
        { x: 95, y: 65 },
        { x: 465, y: 65 },
      ].slice(0, count),
    };
  }
  const width = count <= 6 ? 640 : 760;
  const height = count <= 4 ? 300 : 400;
  const points = Array.from({ length: count }, (_, index) => {
    const angle = -Math.PI / 2 + (2 * Math.PI * index) / count;
    return {
      x: width / 2 + (width / 2 - nodeWidth / 2 - 5) * Math.cos(angle),
      y: height / 2 + (height / 2 - nodeHeight / 2 - 5) * Math.sin(angle),
    };
  });
  // A triangle does not reach down as far as its ellipse.
  const lowest = Math.max(...points.map(({ y }) => y));
  return { width, height: lowest + nodeHeight / 2 + 5, points };
}

const longest = 20;

/** A name that fits its box; that there are more is never cut off. */
export function labelOf({ name, more }: Pick<Node, 'name' | 'more'>): string {
  const suffix = more > 0 ? ` +${more}` : '';
  const room = longest - suffix.length;
  return `${
    name.length > room ? `${name.slice(0, room - 1)}…` : name
  }${suffix}`;
}

type Point = { x: number; y: number };

/**
 * A line between two nodes that keeps to its right, so that the two directions do
 * not lie on each other, cut off where it leaves one box and meets the other.
 */
export function arrowLine(from: Point, to: Point) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const along = { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
  const aside = 9;
  const shift = { x: -along.y * aside, y: along.x * aside };
  // How far from the middle, shifted aside, to the border of the box.
  const reach = (sign: 1 | -1) =>
    Math.min(
      ...(
        [
          [along.x * sign, shift.x, nodeWidth / 2],
          [along.y * sign, shift.y, nodeHeight / 2],
        ] as const
      ).map(([direction, offset, half]) =>
        Math.abs(direction) < 1e-6
          ? Infinity
          : (half - Math.sign(direction) * offset) / Math.abs(direction),
      ),
    );
  const start = reach(1) + 2;
  const end = length - reach(-1) - 4;
  return {
    x1: from.x + shift.x + along.x * start,
    y1: from.y + shift.y + along.y * start,
    x2: from.x + shift.x + along.x * end,
    y2: from.y + shift.y + along.y * end,
  };
}

/** The clusters of a service and the directed links between them. The table beside it says the same in words. */
export const LinkPicture = (props: {
  nodes: Node[];
  arrows: Arrow[];
  /** The picture in words. */
  means: string;
}) => {
  const { nodes, arrows, means } = props;
  const classes = useStyles();
  const theme = useTheme();
  const id = useId();
  const { width, height, points } = layout(nodes.length);
  const states = worstLinks.filter(state =>
    arrows.some(arrow => arrow.state === state),
  );
  const colour = (state: LinkState) =>
    toneColour(theme, linkStates[state].tone);

  return (
    <figure
      className={classes.figure}
      aria-label="Picture of the links"
      // In a narrow window it scrolls, and must be reachable by keyboard.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      <svg
        className={classes.picture}
        viewBox={`0 0 ${width} ${height}`}
        style={{ maxWidth: width, minWidth: Math.min(width, 460) }}
        role="img"
        aria-label={means}
      >
        <defs>
          {states.map(state => (
            <marker
              key={state}
              id={`${id}-${state}`}
              viewBox="0 0 10 10"
              refX="8"
              refY="5"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0,0 L10,5 L0,10 z" fill={colour(state)} />
            </marker>
          ))}
        </defs>
        {arrows.map(({ from, to, state }) => {
          const line = arrowLine(points[from], points[to]);
          return (
            <g key={`${from} ${to}`}>
              <line
                {...line}
                stroke={colour(state)}
                strokeWidth={2}
                strokeDasharray={dashes[state]}
                markerEnd={`url(#${id}-${state})`}
              />
              {state === 'broken' && (
                <text
                  x={(line.x1 + line.x2) / 2}
                  y={(line.y1 + line.y2) / 2 + 6}
                  textAnchor="middle"
                  fontSize={18}
                  fontWeight={700}
                  fill={colour(state)}
                  stroke={theme.palette.background.paper}
                  strokeWidth={4}
                  paintOrder="stroke"
                >
                  ✕
                </text>
              )}
            </g>
          );
        })}
        {nodes.map(({ name, more, note }, index) => {
          const { x, y } = points[index];
          return (
            <g key={name}>
              <rect
                className={classes.node}
                x={x - nodeWidth / 2}
                y={y - nodeHeight / 2}
                width={nodeWidth}
                height={nodeHeight}
                rx={6}
              />
              <text
                className={classes.name}
                x={x}
                y={y - 4}
                textAnchor="middle"
              >
                {labelOf({ name, more })}
              </text>
              <text
                className={classes.note}
                x={x}
                y={y + 16}
                textAnchor="middle"
              >
                {note}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption className={classes.legend}>
        {states.map(state => (
          <span key={state} className={classes.entry}>
            <svg width="40" height="10" aria-hidden>
              <line
                x1="0"
                y1="5"
                x2="40"
                y2="5"
                stroke={colour(state)}
                strokeWidth={2}
                strokeDasharray={dashes[state]}
              />
            </svg>
            {linkStates[state].label}: {linkStates[state].means}
          </span>
        ))}
      </figcaption>
    </figure>
  );
};
