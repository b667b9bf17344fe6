import type { LoggerService } from '@backstage/backend-plugin-api';
import type { SignalsService } from '@backstage/plugin-signals-node';
import {
  MESH_SIGNAL_CHANNEL,
  MeshSignal,
} from '@mesh-for-backstage/plugin-mesh-common';

/** Pages ask again when they are told; more often than this nobody can read. */
const INTERVAL_MILLISECONDS = 1_000;

/** Tells pages what has changed: each topic at once, and then at most once a second. */
export class Signals {
  readonly #signals: SignalsService;
  readonly #logger: LoggerService;
  readonly #pending = new Set<MeshSignal['topic']>();
  #timer: NodeJS.Timeout | undefined;

  static create(options: {
    signals: SignalsService;
    logger: LoggerService;
  }): Signals {
    return new Signals(options.signals, options.logger);
  }

  private constructor(signals: SignalsService, logger: LoggerService) {
    this.#signals = signals;
    this.#logger = logger;
  }

  tell(topics: Iterable<MeshSignal['topic']>): void {
    for (const topic of topics) this.#pending.add(topic);
    if (this.#timer || this.#pending.size === 0) return;
    this.#publish();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.tell([]);
    }, INTERVAL_MILLISECONDS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending.clear();
  }

  #publish(): void {
    const topics = [...this.#pending];
    this.#pending.clear();
    for (const topic of topics) {
      this.#signals
        .publish<{ topic: string }>({
          recipients: { type: 'broadcast' },
          channel: MESH_SIGNAL_CHANNEL,
          message: { topic },
        })
        .catch(error =>
          // Pages ask again by themselves, only later.
          this.#logger.debug(`Could not signal a change of ${topic}`, error),
        );
    }
  }
}
