import { Header, HeaderTabs, Page } from '@backstage/core-components';
import { useRouteRef } from '@backstage/core-plugin-api';
import {
  Navigate,
  Route,
  Routes,
  useLocation,
  useNavigate,
} from 'react-router-dom';
import {
  ClustersSubPage,
  FindingsSubPage,
  OverviewSubPage,
  ServicesSubPage,
} from './pages';
import { rootRouteRef } from './routes';

const tabs = [
  { id: 'overview', label: 'Overview', Component: OverviewSubPage },
  { id: 'services', label: 'Services', Component: ServicesSubPage },
  { id: 'clusters', label: 'Clusters', Component: ClustersSubPage },
  { id: 'findings', label: 'Findings', Component: FindingsSubPage },
];

/** The pages of /mesh with a header and tabs of their own, for apps of the old frontend system. */
export const LegacyMeshPage = () => {
  const root = useRouteRef(rootRouteRef)();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const selected = tabs.findIndex(({ id }) =>
    `${pathname}/`.startsWith(`${root}/${id}/`),
  );
  return (
    <Page themeId="tool">
      <Header title="Mesh" />
      <HeaderTabs
        tabs={tabs}
        selectedIndex={Math.max(0, selected)}
        onChange={index => navigate(`${root}/${tabs[index].id}`)}
      />
      <Routes>
        {tabs.map(({ id, Component }) => (
          <Route key={id} path={`${id}/*`} element={<Component />} />
        ))}
        <Route
          path="*"
          element={<Navigate to={`${root}/overview`} replace />}
        />
      </Routes>
    </Page>
  );
};
