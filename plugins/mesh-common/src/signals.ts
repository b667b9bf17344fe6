/** The channel on which the backend says that something has changed. @public */
export const MESH_SIGNAL_CHANNEL = 'mesh';

/**
 * What has changed, in the coarsest terms that let a page decide whether to ask
 * again. Names only: what a reader may not see is not in it beyond that.
 *
 * @public
 */
export interface MeshSignal {
  topic: 'clusters' | 'services' | 'findings';
}
