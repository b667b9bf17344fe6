import { useMemo } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom';

/** Filters, order and page, as they stand in the address. */
export interface UrlState {
  /** One value of a parameter, empty where there is none. */
  get(name: string): string;
  /** All values of a parameter that may be repeated. */
  all(name: string): string[];
  /** Sets parameters; `undefined`, empty text and empty lists take them away. Goes back to the first page. */
  set(
    change: Record<string, string | string[] | undefined>,
    options?: { replace?: boolean },
  ): void;
  page: {
    number: number;
    cursor?: string;
    next: (cursor: string) => void;
    /** Missing on the first page, and where the address was opened in the middle. */
    previous?: () => void;
    first: () => void;
  };
  /** The whole of it, as the key of a question. */
  key: string;
}

/**
 * Keeps the state of a page in its address, so that the back button, a reload and
 * a link in a chat all show the same. The cursors of the pages before are kept
 * beside the history entry: a cursor leads only forwards.
 */
export function useUrlState(): UrlState {
  const [parameters, setParameters] = useSearchParams();
  const navigate = useNavigate();
  const location = useLocation();
  const trail = (location.state as { meshTrail?: string[] } | null)?.meshTrail;

  return useMemo(() => {
    const number = Math.max(1, Number(parameters.get('page')) || 1);
    const cursor = parameters.get('cursor') ?? undefined;

    const go = (to: string | undefined, page: number, passed: string[]) => {
      const next = new URLSearchParams(parameters);
      next.delete('cursor');
      next.delete('page');
      if (to) {
        next.set('cursor', to);
        next.set('page', String(page));
      }
      navigate({ search: `?${next}` }, { state: { meshTrail: passed } });
    };

    const passed = trail ?? [];
    const previous =
      number > 1 && passed.length > 0
        ? () =>
            go(
              passed[passed.length - 1] || undefined,
              number - 1,
              passed.slice(0, -1),
            )
        : undefined;

    return {
      key: parameters.toString(),
      get: name => parameters.get(name) ?? '',
      all: name => parameters.getAll(name),
      set: (change, options) => {
        const next = new URLSearchParams(parameters);
        next.delete('cursor');
        next.delete('page');
        for (const [name, value] of Object.entries(change)) {
          next.delete(name);
          for (const one of [value ?? []].flat()) {
            if (one !== '') next.append(name, one);
          }
        }
        setParameters(next, options);
      },
      page: {
        number,
        cursor,
        first: () => go(undefined, 1, []),
        previous,
        next: to => go(to, number + 1, [...passed, cursor ?? '']),
      },
    };
  }, [parameters, setParameters, navigate, trail]);
}
