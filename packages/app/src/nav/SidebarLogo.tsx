import {
  Link,
  sidebarConfig,
  useSidebarOpenState,
} from '@backstage/core-components';
import { makeStyles } from '@material-ui/core/styles';
import { Logo } from './Logo';

const useStyles = makeStyles({
  root: {
    width: sidebarConfig.drawerWidthClosed,
    height: 3 * sidebarConfig.logoHeight,
    display: 'flex',
    alignItems: 'center',
    marginBottom: -14,
  },
  link: {
    display: 'flex',
    alignItems: 'center',
    gap: 12,
    marginLeft: 20,
    color: '#ffffff',
    fontSize: 20,
    fontWeight: 700,
    whiteSpace: 'nowrap',
    '&:hover': { color: '#ffffff' },
  },
});

export const SidebarLogo = () => {
  const classes = useStyles();
  const { isOpen } = useSidebarOpenState();

  return (
    <div className={classes.root}>
      <Link
        to="/"
        underline="none"
        className={classes.link}
        aria-label="Mesh, home"
      >
        <Logo />
        {isOpen && <span>Mesh</span>}
      </Link>
    </div>
  );
};
