import { render, screen } from '@testing-library/react';
import App from './App';

const SLOW = { timeout: 60_000 };

describe('App', () => {
  it('comes up with the sign-in page', async () => {
    process.env = {
      NODE_ENV: 'test',
      APP_CONFIG: [
        {
          data: {
            app: { title: 'Test portal', baseUrl: 'http://localhost' },
            backend: { baseUrl: 'http://localhost' },
            auth: {
              environment: 'development',
              providers: {
                guest: {},
                demo: {
                  development: {
                    users: [
                      {
                        entityRef: 'user:default/ada',
                        displayName: 'Ada Ferreira',
                        description: 'Team payments',
                      },
                    ],
                  },
                },
              },
            },
          },
          context: 'test',
        },
      ] as any,
    };

    render(App.createRoot());

    expect(
      await screen.findByRole('button', { name: 'Enter as guest' }, SLOW),
    ).toBeInTheDocument();
    expect(
      screen.getByRole('button', { name: 'Enter as Ada Ferreira' }),
    ).toBeInTheDocument();
    expect(screen.getByText('Team payments')).toBeInTheDocument();
  }, 90_000);
});
