import { ReactRouterV6PageRouter } from '@backstage/frontend-adapter-react-router-v6';
import { Route, Routes } from 'react-router-dom';
import { ServicePage } from './catalog/ServicePage';
import { ServicesPage } from './catalog/ServicesPage';
import { FindingsPage } from './findings/FindingsPage';
import { ClusterPage } from './fleet/ClusterPage';
import { ClustersPage } from './fleet/ClustersPage';
import { OverviewPage } from './fleet/OverviewPage';

// The pages use React Router in both frontend systems. In the new one the router
// scopes it to the sub-page that renders it; in the old one it does nothing.

export const OverviewSubPage = () => (
  <ReactRouterV6PageRouter>
    <OverviewPage />
  </ReactRouterV6PageRouter>
);

export const ServicesSubPage = () => (
  <ReactRouterV6PageRouter>
    <Routes>
      <Route path="/" element={<ServicesPage />} />
      <Route path="/:scope/:namespace/:name" element={<ServicePage />} />
    </Routes>
  </ReactRouterV6PageRouter>
);

export const ClustersSubPage = () => (
  <ReactRouterV6PageRouter>
    <Routes>
      <Route path="/" element={<ClustersPage />} />
      <Route path="/:name" element={<ClusterPage />} />
    </Routes>
  </ReactRouterV6PageRouter>
);

export const FindingsSubPage = () => (
  <ReactRouterV6PageRouter>
    <FindingsPage />
  </ReactRouterV6PageRouter>
);
