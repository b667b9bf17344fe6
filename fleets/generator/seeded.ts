import { createHash } from 'node:crypto';

/**
 * Everything that looks random in the demo fleet (uids, pod names, addresses, ages)
 * is drawn from the name of what it belongs to. So the same source writes the same
 * files, and a new service leaves the lines of the others alone.
 */
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** A whole number from 0 up to, not including, `below`. */
export function numberFrom(key: string, below: number): number {
  return digest(key).readUInt32BE(0) % below;
}

export function pick<T>(key: string, from: readonly T[]): T {
  return from[numberFrom(key, from.length)];
}

export function uidFrom(key: string): string {
  const hex = digest(`uid ${key}`).toString('hex');
  const variant = '89ab'[parseInt(hex[16], 16) % 4];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

// The alphabet of Kubernetes for generated names: no vowels, nothing easily confused.
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A suffix as the API server and the Deployment controller generate them. */
export function suffixFrom(key: string, length: number): string {
  const bytes = digest(`suffix ${key}`);
  let suffix = '';
  for (let i = 0; i < length; i++) {
    suffix += alphabet[bytes[i] % alphabet.length];
  }
  return suffix;
}

/** A time of the day drawn from a key, on the date given (`2026-11-04`). */
export function timeOn(date: string, key: string): string {
  const seconds = 6 * 3600 + numberFrom(`time ${key}`, 12 * 3600);
  return `${new Date(Date.parse(`${date}T00:00:00Z`) + seconds * 1000)
    .toISOString()
    .slice(0, 19)}Z`;
}

/** A date between two, drawn from a key. */
export function dateBetween(from: string, to: string, key: string): string {
  const start = Date.parse(`${from}T00:00:00Z`);
  const days = Math.round((Date.parse(`${to}T00:00:00Z`) - start) / 86_400_000);
  return new Date(start + numberFrom(`date ${key}`, days + 1) * 86_400_000)
    .toISOString()
    .slice(0, 10);
}

export function plusSeconds(time: string, seconds: number): string {
  return `${new Date(Date.parse(time) + seconds * 1000)
    .toISOString()
    .slice(0, 19)}Z`;
}
