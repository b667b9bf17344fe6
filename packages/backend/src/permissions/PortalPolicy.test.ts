import { mockCredentials, mockServices } from '@backstage/backend-test-utils';
import {
  AuthorizeResult,
  createPermission,
  Permission,
} from '@backstage/plugin-permission-common';
import { PolicyQueryUser } from '@backstage/plugin-permission-node';
import {
  meshFleetReadPermission,
  meshServiceReadPermission,
} from '@mesh-for-backstage/plugin-mesh-common';
import { PortalPolicy } from './PortalPolicy';

const anna: PolicyQueryUser = {
  credentials: mockCredentials.user('user:default/anna'),
  info: {
    userEntityRef: 'user:default/anna',
    ownershipEntityRefs: ['user:default/anna', 'group:default/checkout'],
  },
} as PolicyQueryUser;

const policy = (servicesVisibleTo?: string) =>
  PortalPolicy.fromConfig(
    mockServices.rootConfig({ data: { portal: { servicesVisibleTo } } }),
  );

const deleteEntity: Permission = createPermission({
  name: 'catalog.entity.delete',
  attributes: { action: 'delete' },
});

describe('PortalPolicy', () => {
  it.each([
    ['fleet', meshFleetReadPermission, AuthorizeResult.ALLOW],
    ['services', meshServiceReadPermission, AuthorizeResult.ALLOW],
    ['deleting an entity', deleteEntity, AuthorizeResult.DENY],
  ])('decides about the %s by default', async (_, permission, result) => {
    expect(await policy().handle({ permission }, anna)).toEqual({ result });
  });

  it.each([meshFleetReadPermission, meshServiceReadPermission])(
    'denies $name to whoever is not signed in',
    async permission => {
      expect(await policy().handle({ permission })).toEqual({
        result: AuthorizeResult.DENY,
      });
    },
  );

  it('keeps services to their owners where that is configured', async () => {
    const decision = await policy('owners').handle(
      { permission: meshServiceReadPermission },
      anna,
    );
    expect(decision).toMatchObject({
      result: AuthorizeResult.CONDITIONAL,
      pluginId: 'mesh',
      conditions: {
        rule: 'IS_OWNER',
        params: { claims: anna.info.ownershipEntityRefs },
      },
    });
  });

  it('leaves the fleet to everyone even then', async () => {
    expect(
      await policy('owners').handle(
        { permission: meshFleetReadPermission },
        anna,
      ),
    ).toEqual({ result: AuthorizeResult.ALLOW });
  });

  it('names the key that is wrong', () => {
    expect(() => policy('nobody')).toThrow(
      'portal.servicesVisibleTo is "nobody"; it must be one of everyone, owners',
    );
  });
});
