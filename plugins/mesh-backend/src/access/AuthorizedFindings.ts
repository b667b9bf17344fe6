import { meshServiceReadPermission } from '@mesh-for-backstage/plugin-mesh-common';
import { Findings, FindingsQuery } from '../services/types';
import { FindingVisibility } from '../store/FindingStore';
import { lacks, PermissionRequests, ReaderOptions } from './permissionRequests';

/**
 * Findings, as far as the reader may see what they are about: those of a service
 * with the service, all others with the fleet.
 */
export class AuthorizedFindings {
  readonly #findings: Findings;
  readonly #requests: PermissionRequests;

  static create(options: {
    findings: Findings;
    requests: PermissionRequests;
  }): AuthorizedFindings {
    return new AuthorizedFindings(options.findings, options.requests);
  }

  private constructor(findings: Findings, requests: PermissionRequests) {
    this.#findings = findings;
    this.#requests = requests;
  }

  async list(query: FindingsQuery, reader: ReaderOptions) {
    return this.#findings.list(query, await this.#visibility(reader));
  }

  /** A function that reads pages of findings; permissions are asked for once. */
  async rowReader(reader: ReaderOptions) {
    const visibility = await this.#visibility(reader);
    return (query: FindingsQuery) => this.#findings.listRows(query, visibility);
  }

  async #visibility(reader: ReaderOptions): Promise<FindingVisibility> {
    const [ofServices, ofFleet] = await Promise.all([
      this.#requests.readableServices(reader),
      this.#requests.mayReadFleet(reader),
    ]);
    if (ofServices === false && !ofFleet) {
      throw lacks(meshServiceReadPermission.name);
    }
    return { ofServices, ofFleet };
  }
}
