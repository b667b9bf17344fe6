import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { watchedKinds } from '@mesh-for-backstage/mesh-analysis';
import { parseAllDocuments } from 'yaml';
import { clusterRoleManifest } from './clusterRole';

describe('docs/clusterrole.yaml', () => {
  const manifest = clusterRoleManifest();
  const documents = parseAllDocuments(manifest).flatMap(
    document => document.toJS() ?? [],
  );
  const granted = (kind: string): string[] =>
    documents
      .filter(document => document.kind === kind)
      .flatMap(document => document.rules)
      .flatMap((rule: any) =>
        rule.resources.map(
          (plural: string) => `${rule.apiGroups[0]}/${plural}`,
        ),
      );

  it('is what the list of watched kinds makes of it', () => {
    const file = resolve(__dirname, '../../../../docs/clusterrole.yaml');
    expect(readFileSync(file, 'utf8')).toBe(manifest);
  });

  it('grants reading of every kind that is read by default, and of nothing else', () => {
    const wanted = watchedKinds
      .filter(kind => !kind.optIn)
      .map(kind => `${kind.group}/${kind.plural}`);
    const all = [...granted('ClusterRole'), ...granted('Role')];
    expect([...new Set(all)].sort()).toEqual([...new Set(wanted)].sort());
    for (const { rules = [] } of documents) {
      for (const rule of rules) {
        expect(rule.verbs).toEqual(['get', 'list', 'watch']);
      }
    }
  });

  it('grants ConfigMaps by namespace only, and no secrets', () => {
    expect(granted('ClusterRole')).not.toContain('/configmaps');
    expect(new Set(granted('Role'))).toEqual(new Set(['/configmaps']));
    expect(JSON.stringify(documents)).not.toContain('secrets');
    expect(manifest).toMatch(/^# +- secrets$/m);
  });
});
