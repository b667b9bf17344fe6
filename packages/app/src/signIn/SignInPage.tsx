import { useCallback, useMemo, useState } from 'react';
import {
  Content,
  ErrorPanel,
  Header,
  InfoCard,
  Page,
  ProxiedSignInPage,
} from '@backstage/core-components';
import {
  configApiRef,
  IdentityApi,
  useApi,
} from '@backstage/frontend-plugin-api';
import { SignInPageProps } from '@backstage/plugin-app-react';
import Button from '@material-ui/core/Button';
import Grid from '@material-ui/core/Grid';
import Typography from '@material-ui/core/Typography';
import { Identity, readIdentities } from './identities';

/** Who was chosen last, so that a reloaded page does not ask again. */
const CHOICE_KEY = 'mesh-portal/sign-in';

/** Signing out forgets the choice; everything else is the identity's own. */
function forgetChoiceOnSignOut(identity: IdentityApi): IdentityApi {
  return {
    getProfileInfo: () => identity.getProfileInfo(),
    getBackstageIdentity: () => identity.getBackstageIdentity(),
    getCredentials: () => identity.getCredentials(),
    signOut: async () => {
      localStorage.removeItem(CHOICE_KEY);
      await identity.signOut();
    },
  };
}

export const SignInPage = ({ onSignInSuccess }: SignInPageProps) => {
  const config = useApi(configApiRef);
  const identities = useMemo(() => readIdentities(config), [config]);
  const [chosen, setChosen] = useState<Identity | undefined>(() =>
    identities.find(({ id }) => id === localStorage.getItem(CHOICE_KEY)),
  );

  const choose = useCallback((identity: Identity) => {
    localStorage.setItem(CHOICE_KEY, identity.id);
    setChosen(identity);
  }, []);

  const chooseAgain = useCallback(() => {
    localStorage.removeItem(CHOICE_KEY);
    setChosen(undefined);
  }, []);

  if (chosen) {
    return (
      <ProxiedSignInPage
        provider={chosen.provider}
        headers={chosen.headers}
        onSignInSuccess={identity =>
          onSignInSuccess(forgetChoiceOnSignOut(identity))
        }
        ErrorComponent={({ error }) => (
          <Page themeId="home">
            <Content>
              <ErrorPanel
                title={`Signing in as ${chosen.name} did not work`}
                error={error ?? new Error('No reason was given')}
              />
              <Button variant="outlined" onClick={chooseAgain}>
                Choose again
              </Button>
            </Content>
          </Page>
        )}
      />
    );
  }

  return (
    <Page themeId="home">
      <Header
        title={config.getOptionalString('app.title') ?? 'Developer portal'}
      />
      <Content>
        {identities.length === 0 ? (
          <Typography variant="body1">
            No way to sign in is configured. An administrator adds a provider
            under auth.providers, and its sign-in page to the app; see the
            production guide of this project.
          </Typography>
        ) : (
          <Grid container spacing={2}>
            {identities.map(identity => (
              <Grid item xs={12} sm={6} md={4} key={identity.id}>
                <InfoCard
                  title={
                    identity.provider === 'guest' ? 'Guest' : identity.name
                  }
                  variant="fullHeight"
                  actions={
                    <Button
                      color="primary"
                      variant="outlined"
                      aria-label={`Enter as ${identity.name}`}
                      onClick={() => choose(identity)}
                    >
                      Enter
                    </Button>
                  }
                >
                  <Typography variant="body1">
                    {identity.description}
                  </Typography>
                </InfoCard>
              </Grid>
            ))}
          </Grid>
        )}
      </Content>
    </Page>
  );
};
