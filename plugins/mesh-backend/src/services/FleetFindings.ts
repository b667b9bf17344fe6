import type { FleetState } from '@mesh-for-backstage/plugin-mesh-common';
import { FindingStore, FindingVisibility } from '../store/FindingStore';
import { FleetStateStore } from '../store/FleetStateStore';
import { ServiceStore } from '../store/ServiceStore';
import { narrowed } from './FleetServices';
import { withLastSeen } from './lastSeen';
import { Findings, FindingsQuery } from './types';

/** Findings as the API shows them. */
export class FleetFindings implements Findings {
  readonly #findings: FindingStore;
  readonly #services: ServiceStore;
  readonly #fleet: FleetStateStore;

  static create(options: {
    findings: FindingStore;
    services: ServiceStore;
    fleet: FleetStateStore;
  }): FleetFindings {
    return new FleetFindings(options);
  }

  private constructor(options: {
    findings: FindingStore;
    services: ServiceStore;
    fleet: FleetStateStore;
  }) {
    this.#findings = options.findings;
    this.#services = options.services;
    this.#fleet = options.fleet;
  }

  async list(query: FindingsQuery, visibility: FindingVisibility) {
    const fleet = await this.#fleet.get();
    const counted = { filter: query.filter, visibility };
    const [{ items, next }, totalItems, rules] = await Promise.all([
      this.#rows(query, visibility, fleet),
      this.#findings.count(counted),
      this.#findings.countRules(counted),
    ]);
    return {
      items,
      totalItems,
      ...(next && { next }),
      fleet: await this.#visibleFleet(fleet, visibility),
      rules,
    };
  }

  async listRows(query: FindingsQuery, visibility: FindingVisibility) {
    return this.#rows(query, visibility, await this.#fleet.get());
  }

  async #rows(
    query: FindingsQuery,
    visibility: FindingVisibility,
    fleet: FleetState,
  ) {
    const { findings, next } = await this.#findings.list({
      ...query,
      visibility,
    });
    const now = new Date();
    return {
      items: findings.map(finding =>
        withLastSeen(finding, fleet.clusters, now),
      ),
      ...(next && { next }),
    };
  }

  async #visibleFleet(
    fleet: FleetState,
    { ofFleet, ofServices }: FindingVisibility,
  ): Promise<FleetState> {
    if (ofFleet || ofServices === false) return fleet;
    const criteria = ofServices === true ? undefined : ofServices;
    return narrowed(fleet, await this.#services.clusters(criteria));
  }
}
