import net from 'node:net';
import { Problem } from './problem.mjs';

/** Takes a port for a moment; 0 asks for any. Gives the port's number. */
function probe(port, host) {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      const taken = server.address().port;
      server.close(() => resolve(taken));
    });
  });
}

/** The port to listen on; one that is busy is said so, with the way out. */
export async function freePort(port, host) {
  try {
    return await probe(port, host);
  } catch (error) {
    if (error.code === 'EADDRINUSE') {
      throw new Problem(
        `Port ${port} is in use; choose another: npm start -- --port ${
          port + 1
        } (or PORT=${port + 1} npm start)`,
      );
    }
    if (error.code === 'EACCES') {
      throw new Problem(
        `Port ${port} needs more rights than this user has; choose another: npm start -- --port 7007`,
      );
    }
    if (/^(EADDRNOTAVAIL|ENOTFOUND|EAI_\w+|EINVAL)$/.test(error.code)) {
      throw new Problem(
        `"${host}" is no address of this machine to listen on; leave out --host for this machine alone, or give 0.0.0.0 for all its networks`,
      );
    }
    throw error;
  }
}
