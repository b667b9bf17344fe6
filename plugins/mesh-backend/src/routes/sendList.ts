import { BackstageCredentials } from '@backstage/backend-plugin-api';
import type { Response } from 'express';
import { KeysetPosition } from '../store/keyset';
import { Columns, sendCsv } from './csv';
import { encodeCursor, Question } from './cursor';

/** Rows that are read at a time for a table that is sent whole. */
const CSV_PAGE = 500;

interface ListQuery extends Question {
  limit: number;
  after?: KeysetPosition;
}

interface Lists<Q, Row, Page> {
  list(query: Q, reader: { credentials: BackstageCredentials }): Promise<Page>;
  rowReader(reader: {
    credentials: BackstageCredentials;
  }): Promise<
    (query: Q) => Promise<{ items: readonly Row[]; next?: KeysetPosition }>
  >;
}

/** Answers with the page that was asked for, or with all rows as CSV. */
export async function sendList<
  Q extends ListQuery,
  Row,
  Page extends { next?: KeysetPosition },
>(
  response: Response,
  options: {
    of: Lists<Q, Row, Page>;
    credentials: BackstageCredentials;
    query: Q;
    format: 'json' | 'csv';
    fileName: string;
    columns: Columns<Row>;
  },
): Promise<void> {
  const { of, credentials, query, format, fileName, columns } = options;
  if (format === 'csv') {
    const read = await of.rowReader({ credentials });
    await sendCsv(response, {
      fileName,
      columns,
      pages: allPages(query, read),
    });
    return;
  }
  const { next, ...page } = await of.list(query, { credentials });
  response.json({
    ...page,
    ...(next && { nextCursor: encodeCursor(query, next) }),
  });
}

/** Pages of rows to the end of a list. */
async function* allPages<Q extends ListQuery, Row>(
  query: Q,
  read: (query: Q) => Promise<{ items: readonly Row[]; next?: KeysetPosition }>,
): AsyncGenerator<readonly Row[]> {
  let page = await read({ ...query, limit: CSV_PAGE });
  yield page.items;
  while (page.next) {
    page = await read({ ...query, limit: CSV_PAGE, after: page.next });
    yield page.items;
  }
}
