export interface Config {
  portal?: {
    /**
     * Who sees a service: everyone who is signed in, or its owners alone. The
     * clusters are seen by everyone either way.
     */
    servicesVisibleTo?: 'everyone' | 'owners';
  };
}
