import {
  BackstageCredentials,
  PermissionsService,
} from '@backstage/backend-plugin-api';
import { NotAllowedError } from '@backstage/errors';
import { AuthorizeResult } from '@backstage/plugin-permission-common';
import { ConditionTransformer } from '@backstage/plugin-permission-node';
import {
  meshFleetReadPermission,
  meshServiceReadPermission,
} from '@mesh-for-backstage/plugin-mesh-common';
import { MeshServiceFilter } from '@mesh-for-backstage/plugin-mesh-node';
import { ServiceCriteria } from '../store/criteria';

/** Whoever asks. */
export interface ReaderOptions {
  credentials: BackstageCredentials;
}

/** Asks the permission framework what a reader may see. */
export class PermissionRequests {
  readonly #permissions: PermissionsService;
  readonly #toCriteria: ConditionTransformer<MeshServiceFilter>;

  static create(options: {
    permissions: PermissionsService;
    toCriteria: ConditionTransformer<MeshServiceFilter>;
  }): PermissionRequests {
    return new PermissionRequests(options.permissions, options.toCriteria);
  }

  private constructor(
    permissions: PermissionsService,
    toCriteria: ConditionTransformer<MeshServiceFilter>,
  ) {
    this.#permissions = permissions;
    this.#toCriteria = toCriteria;
  }

  /** Whether the reader may see clusters. */
  async mayReadFleet({ credentials }: ReaderOptions): Promise<boolean> {
    const [{ result }] = await this.#permissions.authorize(
      [{ permission: meshFleetReadPermission }],
      { credentials },
    );
    return result === AuthorizeResult.ALLOW;
  }

  /** Whether the reader may see services: all, none, or those that meet criteria. */
  async readableServices({
    credentials,
  }: ReaderOptions): Promise<boolean | ServiceCriteria> {
    const [decision] = await this.#permissions.authorizeConditional(
      [{ permission: meshServiceReadPermission }],
      { credentials },
    );
    if (decision.result === AuthorizeResult.CONDITIONAL) {
      return this.#toCriteria(decision.conditions);
    }
    return decision.result === AuthorizeResult.ALLOW;
  }
}

/** What a reader is told who lacks a permission. */
export function lacks(permission: string): NotAllowedError {
  return new NotAllowedError(
    `This needs the permission ${permission}; ask whoever runs the portal for it`,
  );
}
