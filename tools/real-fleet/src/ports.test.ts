import { createServer } from 'node:net';
import { freePorts } from './ports';

describe('freePorts', () => {
  it('are different, can be listened on, and are no port of outgoing connections', async () => {
    const ports = await freePorts(20);
    expect(new Set(ports).size).toBe(20);
    expect(Math.max(...ports)).toBeLessThan(32_768);
    const server = createServer();
    await new Promise<void>(done =>
      server.listen(ports[0], '127.0.0.1', () => done()),
    );
    await new Promise(done => server.close(done));
  });
});
