import { ApiClient, KubeObject } from './ApiClient';

interface Ingress {
  ip?: string;
  hostname?: string;
}

/**
 * Gives Services of type LoadBalancer an address, as a cloud would. Without one
 * a Gateway never becomes `Programmed`.
 */
export class LoadBalancers {
  readonly #client: ApiClient;
  readonly #wanted: ReadonlyMap<string, Ingress[]>;
  readonly #prefix: string;
  readonly #timer: NodeJS.Timeout;
  #given = 0;

  /** `objects` are the folder's: an address that it names is given, others come from `prefix`. */
  static start(options: {
    client: ApiClient;
    objects: KubeObject[];
    prefix: string;
  }): LoadBalancers {
    const wanted = new Map<string, Ingress[]>();
    for (const object of options.objects) {
      const ingress = ingressOf(object);
      if (object.kind === 'Service' && ingress.length > 0) {
        wanted.set(keyOf(object), ingress);
      }
    }
    return new LoadBalancers(options.client, wanted, options.prefix);
  }

  private constructor(
    client: ApiClient,
    wanted: ReadonlyMap<string, Ingress[]>,
    prefix: string,
  ) {
    this.#client = client;
    this.#wanted = wanted;
    this.#prefix = prefix;
    // The API server may be away on purpose; the next round tries again.
    this.#timer = setInterval(() => this.serve().catch(() => {}), 2_000);
    this.#timer.unref();
  }

  /** One round over all Services. */
  async serve(): Promise<void> {
    const services = await this.#client.list<KubeObject>('/api/v1/services');
    for (const service of services) {
      const spec = service.spec as { type?: string } | undefined;
      if (spec?.type !== 'LoadBalancer' || ingressOf(service).length > 0) {
        continue;
      }
      const ingress = this.#wanted.get(keyOf(service)) ?? [this.#next()];
      await this.#client.apply(
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: {
            name: service.metadata.name,
            namespace: service.metadata.namespace,
          },
          status: { loadBalancer: { ingress } },
        },
        { subresource: 'status' },
      );
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #next(): Ingress {
    this.#given += 1;
    return { ip: `${this.#prefix}.${this.#given}` };
  }
}

function ingressOf(object: KubeObject): Ingress[] {
  return (object.status as any)?.loadBalancer?.ingress ?? [];
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}
