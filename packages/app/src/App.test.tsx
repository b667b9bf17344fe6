import { render, screen } from '@testing-library/react';
import App from './App';

const portal = (auth: object) => [
  {
    data: {
      app: { title: 'Test portal', baseUrl: 'http://localhost' },
      backend: { baseUrl: 'http://localhost' },
      auth,
    },
    context: 'test',
  },
];

function renderPortal(auth: object) {
  process.env = { NODE_ENV: 'test', APP_CONFIG: portal(auth) as any };
  return render(App.createRoot());
}

const users = [
  {
    entityRef: 'user:default/ada',
    displayName: 'Ada Ferreira',
    description: 'Team payments',
  },
];

describe('App', () => {
  it('offers guest and demo users where both are configured', async () => {
    renderPortal({
      environment: 'development',
      providers: { guest: {}, demo: { development: { users } } },
    });

    expect(
      await screen.findByRole('button', { name: 'Enter as guest' }),
    ).toBeInTheDocument();
    expect(
      screen.getByRole('button', { name: 'Enter as Ada Ferreira' }),
    ).toBeInTheDocument();
    expect(screen.getByText('Team payments')).toBeInTheDocument();
  }, 60_000);

  it('offers no demo user outside of the development environment', async () => {
    renderPortal({
      environment: 'production',
      providers: { guest: {}, demo: { development: { users } } },
    });

    expect(
      await screen.findByText(/no way to sign in is configured/i),
    ).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /Enter as/ })).toBeNull();
  }, 60_000);
});
