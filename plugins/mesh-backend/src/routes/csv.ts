import type { Response } from 'express';
import { once } from 'events';

/** A value of a cell; undefined is an empty one. */
export type Cell = string | number | boolean | undefined;

/** Columns of a table, with how each is filled from a row. */
export type Columns<T> = Record<string, (row: T) => Cell>;

/** One line of CSV (RFC 4180), with its end. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: Cell): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  // A spreadsheet takes a text that begins like this for a formula and runs it.
  const text = /^[=+\-@＝＋－＠\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/**
 * Sends a table page by page, so that no more than one page of it is in memory. The
 * first page is read before anything is sent: until then errors are answered as
 * usual. An error after that breaks the connection off, since a table that merely
 * ended would pass for a whole one.
 */
export async function sendCsv<T>(
  response: Response,
  options: {
    fileName: string;
    columns: Columns<T>;
    pages: AsyncIterable<readonly T[]>;
  },
): Promise<void> {
  const pages = options.pages[Symbol.asyncIterator]();
  let page = await pages.next();
  response.setHeader('content-type', 'text/csv; charset=utf-8');
  response.setHeader(
    'content-disposition',
    `attachment; filename="${options.fileName}"`,
  );
  try {
    response.write(csvLine(Object.keys(options.columns)));
    while (!page.done && !response.destroyed) {
      const lines = page.value.map(row =>
        csvLine(Object.values(options.columns).map(fill => fill(row))),
      );
      await write(response, lines.join(''));
      page = await pages.next();
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

async function write(response: Response, text: string): Promise<void> {
  if (text === '' || response.write(text) || response.destroyed) return;
  // A reader that goes away never drains.
  await Promise.race([once(response, 'drain'), once(response, 'close')]);
}
