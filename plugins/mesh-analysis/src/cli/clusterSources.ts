import { existsSync } from 'node:fs';

import { WrongCall } from './WrongCall';

/** Where the objects of a cluster come from. */
export type ClusterSource =
  | { name: string; path: string }
  | { name: string; context: string; kubeconfig?: string };

/** Reads `NAME=PATH` and `NAME=kubeconfig:CONTEXT[@FILE]`. */
export function parseClusterSource(text: string): ClusterSource {
  const equals = text.indexOf('=');
  const name = text.slice(0, Math.max(equals, 0)).trim();
  const value = text.slice(equals + 1);
  if (!name || !value) {
    throw new WrongCall(
      `--cluster "${text}": expected NAME=FOLDER, NAME=FILE or NAME=kubeconfig:CONTEXT[@FILE]`,
    );
  }
  if (!value.startsWith('kubeconfig:')) {
    if (!existsSync(value)) {
      throw new WrongCall(
        `--cluster ${name}: there is no file or folder "${value}"`,
      );
    }
    return { name, path: value };
  }
  const rest = value.slice('kubeconfig:'.length);
  // Names of contexts have an @ in them too (`admin@prod`): it only divides where a
  // file follows, or something that looks like a path and so was meant as one.
  const at = rest.lastIndexOf('@');
  const file = at < 0 ? '' : rest.slice(at + 1);
  if (existsSync(file)) {
    return { name, context: rest.slice(0, at), kubeconfig: file };
  }
  if (/[/\\]|\.(ya?ml|json)$/.test(file)) {
    throw new WrongCall(
      `--cluster ${name}: there is no kubeconfig file "${file}"`,
    );
  }
  return { name, context: rest };
}
