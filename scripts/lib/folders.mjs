import fs from 'node:fs';
import path from 'node:path';
import { Problem } from './problem.mjs';

const GB = 1024 ** 3;

/**
 * Makes a folder and those above it, one by one. Node.js' own recursive way
 * never ends where a folder takes no entries, as those under /proc.
 */
export function makeFolder(folder) {
  const above = path.dirname(folder);
  if (above !== folder && !fs.existsSync(above)) {
    makeFolder(above);
  }
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      throw error;
    }
  }
}

const REASONS = {
  EACCES: 'this user has no right to',
  EPERM: 'this user has no right to',
  EROFS: 'it is on a file system that is read-only',
  ENOENT: 'the system makes no folder there',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'it is a file',
};

/** Says early and plainly that a folder cannot be written to, or is full. */
export function checkWritable(folder, { what, orElse }) {
  const probe = path.join(folder, `.write-test-${process.pid}`);
  try {
    makeFolder(folder);
    fs.writeFileSync(probe, 'x');
    fs.rmSync(probe);
  } catch (error) {
    if (error.code === 'ENOSPC') {
      fs.rmSync(probe, { force: true });
      throw new Problem(`The disk under ${what} ${folder} is full; ${orElse}`);
    }
    throw new Problem(
      `Cannot write to ${what} ${folder}: ${
        REASONS[error.code] ?? error.code
      }; ${orElse}`,
    );
  }
}

/** Says before the work that its result will not fit. */
export function checkRoom(folder, neededGb, { what, orElse }) {
  const { bavail, bsize } = fs.statfsSync(folder);
  const free = (bavail * bsize) / GB;
  if (free < neededGb) {
    throw new Problem(
      `Too little disk space: ${what} needs about ${neededGb} GB in ${folder}, and ${free.toFixed(
        2,
      )} GB are free; ${orElse}`,
    );
  }
}
