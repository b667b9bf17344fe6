export interface Config {
  auth?: {
    providers?: {
      /**
       * Named users of the demonstration, without passwords. Ignored outside of
       * `auth.environment: development` and where NODE_ENV is production.
       */
      demo?: {
        development?: {
          users: Array<{
            /**
             * A user of the catalog.
             * @visibility frontend
             */
            entityRef: string;
            /** @visibility frontend */
            displayName?: string;
            /**
             * One line below the name on the sign-in page.
             * @visibility frontend
             */
            description?: string;
          }>;
        };
      };
    };
  };
}
