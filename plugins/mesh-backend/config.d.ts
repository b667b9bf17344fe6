export interface Config {
  /** Watching the clusters of the mesh. */
  mesh?: object;
}
