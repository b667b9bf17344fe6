import { randomInt } from 'node:crypto';
import { createServer, Server } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (from 32768 on Linux,
 * from 49152 on macOS): between our choosing a port and its owner's binding it,
 * one of the many connections of a starting cluster would take it now and then.
 */
const RANGE = { from: 20_000, to: 32_000 };

/** Ports that are free now; held together while they are chosen, so that no two are the same. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  const ports: number[] = [];
  try {
    for (let attempt = 0; ports.length < count; attempt++) {
      const port = randomInt(RANGE.from, RANGE.to);
      const server = await listen(port);
      if (server) {
        servers.push(server);
        ports.push(port);
      } else if (attempt > 1_000) {
        throw new Error(
          `No free ports between ${RANGE.from} and ${RANGE.to} on this machine`,
        );
      }
    }
  } finally {
    await Promise.all(
      servers.map(server => new Promise(done => server.close(done))),
    );
  }
  return ports;
}

function listen(port: number): Promise<Server | undefined> {
  return new Promise(fulfil => {
    const server = createServer();
    server.once('error', () => fulfil(undefined));
    server.listen(port, '127.0.0.1', () => fulfil(server));
  });
}
