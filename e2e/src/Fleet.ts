import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { parse } from 'yaml';

/** The demo fleet behind the portal, as its administrator has it. */
export class Fleet {
  readonly #state: string;

  static behindPortal(): Fleet {
    return new Fleet(process.env.MESH_E2E_STATE!);
  }

  private constructor(state: string) {
    this.#state = state;
  }

  /** Changes an object through the cluster's Kubernetes API. */
  async patch(cluster: string, object: string, body: object): Promise<void> {
    const { server, ca, token } = this.#access(cluster);
    const status = await new Promise<number>((resolve, reject) => {
      const sent = request(
        `${server}${object}`,
        {
          method: 'PATCH',
          ca,
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/merge-patch+json',
          },
        },
        answer => {
          answer.resume();
          answer.once('end', () => resolve(answer.statusCode!));
        },
      );
      sent.once('error', reject);
      sent.end(JSON.stringify(body));
    });
    if (status !== 200) {
      throw new Error(`PATCH ${object} in ${cluster} was answered ${status}`);
    }
  }

  /** The cluster's API server stops to answer. */
  async stop(cluster: string): Promise<void> {
    await this.#order(cluster, 'stop');
  }

  async start(cluster: string): Promise<void> {
    await this.#order(cluster, 'start');
  }

  async #order(cluster: string, order: string): Promise<void> {
    const { url, secret } = JSON.parse(this.#read('fleet.json'));
    const answer = await fetch(`${url}/clusters/${cluster}/${order}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
    });
    if (!answer.ok) {
      throw new Error(`${order} ${cluster} was answered ${answer.status}`);
    }
  }

  #access(cluster: string): { server: string; ca: Buffer; token: string } {
    const { clusters, users, contexts } = parse(
      this.#read('kubeconfig-admin.yaml'),
    );
    const named = (list: any[], name: string) =>
      list.find(entry => entry.name === name);
    const { context } = named(contexts, cluster);
    const { cluster: api } = named(clusters, context.cluster);
    return {
      server: api.server,
      ca: Buffer.from(api['certificate-authority-data'], 'base64'),
      token: named(users, context.user).user.token,
    };
  }

  #read(file: string): string {
    return readFileSync(path.join(this.#state, file), 'utf8');
  }
}
