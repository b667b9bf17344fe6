import { HumanDuration } from '@backstage/types';

export interface Config {
  /** What the service mesh does with every service, across all clusters. */
  mesh?: {
    /**
     * Where clusters come from. Sources are asked in the order in which they stand
     * here; where two name the same cluster, the first one counts.
     */
    clusterSources?: {
      /**
       * Use the clusters of `kubernetes.clusterLocatorMethods` of type `config`. On by default.
       * @visibility backend
       */
      kubernetesConfig?: boolean;
      /**
       * Use the clusters that the catalog names, where `kubernetes.clusterLocatorMethods`
       * has a method of type `catalog`. On by default.
       * @visibility backend
       */
      kubernetesCatalog?: boolean;
      /** Use the contexts of a kubeconfig file, each as a cluster of the same name. */
      kubeconfig?: {
        /**
         * Path of the file. It is read again whenever clusters are listed.
         * @visibility backend
         */
        path: string;
        /**
         * Only these contexts; all of them by default.
         * @visibility backend
         */
        contexts?: string[];
      };
      /**
       * Use the cluster in which this backend runs, by the service account of its
       * pod; the object gives it a name other than `in-cluster`. Off by default.
       * @visibility backend
       */
      inCluster?:
        | boolean
        | {
            /** @visibility backend */
            name: string;
          };
      /**
       * Use the sources that modules add through `meshClusterSourcesExtensionPoint`. On by default.
       * @visibility backend
       */
      modules?: boolean;
      /**
       * How often sources are asked. One minute by default.
       * @visibility backend
       */
      refreshInterval?: HumanDuration | string;
    };

    /** What is to be added to clusters, by their names; it never names a cluster anew. */
    clusters?: {
      [name: string]: {
        /**
         * Shown in place of the name.
         * @visibility backend
         */
        title?: string;
        /**
         * What the cluster is for, such as `production`.
         * @visibility backend
         */
        environment?: string;
        /**
         * Labels to filter by.
         * @visibility backend
         */
        labels?: {
          /** @visibility backend */
          [label: string]: string;
        };
        /**
         * Watch this cluster, and no other that does not say so too.
         * @visibility backend
         */
        include?: boolean;
        /**
         * Do not watch this cluster, and do not list it.
         * @visibility backend
         */
        exclude?: boolean;
        /**
         * Suffix of service names, where it is not `cluster.local`.
         * @visibility backend
         */
        clusterDomain?: string;
        /**
         * Namespaces of mesh and CNI in this cluster, in place of `mesh.collect.systemNamespaces`.
         * @visibility backend
         */
        systemNamespaces?: string[];
      };
    };

    /** How clusters are watched. */
    collect?: {
      /**
       * Whether this replica watches clusters. On by default.
       * @visibility backend
       */
      enabled?: boolean;
      /**
       * How often a cluster is asked which kinds it serves: a definition that is
       * installed later appears within this time. One minute by default.
       * @visibility backend
       */
      discoveryInterval?: HumanDuration | string;
      /**
       * After how long without a sign of life what is known of a kind is no longer
       * called current. API servers give one about once a minute. 150 seconds by
       * default, 90 at least.
       * @visibility backend
       */
      staleAfter?: HumanDuration | string;
      /**
       * How long an answer may take to begin, and how long it may pause. 30 seconds by default.
       * @visibility backend
       */
      requestTimeout?: HumanDuration | string;
      /**
       * How often to try again what was forbidden. One minute by default.
       * @visibility backend
       */
      forbiddenRetryInterval?: HumanDuration | string;
      /**
       * Objects in a page of a list. 500 by default.
       * @visibility backend
       */
      pageSize?: number;
      /**
       * Pages that are held in memory at a time, of all clusters together. 6 by default.
       * @visibility backend
       */
      concurrentPages?: number;
      /**
       * Namespaces of mesh and CNI, in which ConfigMaps are read. `istio-system` and
       * `kube-system` by default.
       * @visibility backend
       */
      systemNamespaces?: string[];
      /**
       * Read the metadata of Istio's remote secrets, to know which clusters a control
       * plane reads. Nothing but metadata is asked for; but no role can grant only
       * that, so the permission lets this account read the secrets. Off by default.
       * @visibility backend
       */
      remoteSecretMetadata?: boolean;
    };

    /** How what was read is judged. */
    analyse?: {
      /**
       * Whether this replica judges what has changed. On by default.
       * @visibility backend
       */
      enabled?: boolean;
    };

    /** Who owns a service that no catalog entity stands for. */
    ownership?: {
      /**
       * Labels of a Service or its Namespace that name the owner, in order.
       * @visibility backend
       */
      labels?: string[];
    };

    /** How owners are read from the catalog. */
    owners?: {
      /**
       * How often. One minute by default, 5 seconds at least.
       * @visibility backend
       */
      refreshInterval?: HumanDuration | string;
    };

    /** What was found. */
    findings?: {
      /**
       * For how many days a finding is kept that no longer holds. 90 by default.
       * @visibility backend
       */
      keepResolvedDays?: number;
    };
  };
}
