import { TestApiProvider } from '@backstage/frontend-test-utils';
import { signalApiRef } from '@backstage/plugin-signals-react';
import { act, renderHook, waitFor } from '@testing-library/react';
import { ReactNode } from 'react';
import { mockSignals } from '../__testUtils__/renderMesh';
import { throttleMs, useLive } from './useLive';

const patience = { timeout: 20_000 };
jest.setTimeout(60_000);

/** An answer that the test gives when it wants. */
function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

function setup(load: (key: string) => Promise<string>, withSignals = true) {
  const signals = mockSignals();
  const wrapper = (props: { children: ReactNode }) => (
    <TestApiProvider
      apis={(withSignals ? [[signalApiRef, signals.api]] : []) as any}
    >
      {props.children}
    </TestApiProvider>
  );
  const hook = renderHook(
    ({ id }) => useLive(id, () => load(id), ['services']),
    { wrapper, initialProps: { id: 'a' } },
  );
  return { ...hook, signals };
}

describe('useLive', () => {
  afterEach(() => jest.useRealTimers());

  it('keeps the old answer while another question is asked', async () => {
    const second = deferred<string>();
    const { result, rerender } = setup(id =>
      id === 'a' ? Promise.resolve('answer a') : second.promise,
    );
    expect(result.current).toMatchObject({ value: undefined, busy: true });
    await waitFor(() => expect(result.current.value).toBe('answer a'));
    expect(result.current.busy).toBe(false);

    rerender({ id: 'b' });
    expect(result.current).toMatchObject({ value: 'answer a', busy: true });
    await act(async () => second.resolve('answer b'));
    expect(result.current).toMatchObject({ value: 'answer b', busy: false });
  });

  it('drops an answer that comes after that of a later question', async () => {
    const slow = deferred<string>();
    const { result, rerender } = setup(id =>
      id === 'a' ? slow.promise : Promise.resolve('answer b'),
    );
    rerender({ id: 'b' });
    await waitFor(() => expect(result.current.value).toBe('answer b'));
    await act(async () => slow.resolve('answer a'));
    expect(result.current.value).toBe('answer b');
  });

  it('asks again on a signal of its topic, at most once in a while, and keeps what it has when that fails', async () => {
    jest.useFakeTimers();
    const load = jest.fn().mockResolvedValue('first');
    const { result, signals } = setup(load);
    await act(async () => {});
    expect(result.current.value).toBe('first');

    signals.send('clusters');
    await act(async () => jest.advanceTimersByTime(throttleMs));
    expect(load).toHaveBeenCalledTimes(1);

    load.mockRejectedValue(new Error('gone'));
    signals.send('services');
    signals.send('services');
    signals.send('services');
    await act(async () => jest.advanceTimersByTime(throttleMs));
    expect(load).toHaveBeenCalledTimes(2);
    expect(result.current.value).toBe('first');
    expect(result.current.error?.message).toBe('gone');

    load.mockResolvedValue('second');
    await act(async () => result.current.retry());
    expect(result.current.value).toBe('second');
    expect(result.current.error).toBeUndefined();
  });

  it('asks by the clock where there are no signals', async () => {
    jest.useFakeTimers();
    const load = jest.fn().mockResolvedValue('x');
    setup(load, false);
    await act(async () => {});
    await act(async () => jest.advanceTimersByTime(60_000));
    expect(load.mock.calls.length).toBeGreaterThanOrEqual(3);
  });

  it('does not leave the answer of one question under the error of another', async () => {
    const { result, rerender } = setup(id =>
      id === 'a'
        ? Promise.resolve('answer a')
        : Promise.reject(new Error('no b')),
    );
    await waitFor(() => expect(result.current.value).toBe('answer a'));
    rerender({ id: 'b' });
    await waitFor(
      () => expect(result.current.error?.message).toBe('no b'),
      patience,
    );
    expect(result.current.value).toBeUndefined();
  });
});
