import { createServer, Server } from 'node:net';

/** Ports that are free now; held together while they are chosen, so that no two are the same. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen));
  const ports = servers.map(server => {
    const address = server.address();
    if (!address || typeof address === 'string') {
      throw new Error('A listening server has no port');
    }
    return address.port;
  });
  await Promise.all(
    servers.map(server => new Promise(done => server.close(done))),
  );
  return ports;
}

function listen(): Promise<Server> {
  return new Promise((fulfil, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => fulfil(server));
  });
}
