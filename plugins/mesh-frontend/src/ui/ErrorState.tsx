import Button from '@material-ui/core/Button';
import { EmptyState } from './EmptyState';
import { Message } from './Message';

/** The HTTP status of an error, where it has one. */
function statusOf(error: Error): number | undefined {
  const candidate = error as Error & {
    statusCode?: number;
    response?: { status?: number };
  };
  return candidate.statusCode ?? candidate.response?.status;
}

/** The message of the backend where there is one; it names the field and the fix. */
function messageOf(error: Error): string {
  const body = (error as { body?: { error?: { message?: string } } }).body;
  return body?.error?.message ?? error.message;
}

/** Takes the place of content that could not be had: what happened, and what to do. */
export const ErrorState = (props: {
  error: Error;
  /** What could not be shown: `the services`. */
  what: string;
  onRetry?: () => void;
}) => {
  const { error, what, onRetry } = props;
  const status = statusOf(error);
  const retry = onRetry && (
    <p>
      <Button variant="outlined" onClick={onRetry}>
        Try again
      </Button>
    </p>
  );
  if (status === 403) {
    return (
      <EmptyState title={`You may not see ${what}`}>
        <p>
          The portal's permission policy does not allow it. Ask whoever runs the
          portal for the permission <code>mesh.service.read</code> (services and
          findings) or <code>mesh.fleet.read</code> (clusters).
        </p>
        <p>The backend said: {messageOf(error)}</p>
      </EmptyState>
    );
  }
  if (status === 401) {
    return (
      <EmptyState title="Your session has ended">
        <p>Sign in again to see {what}.</p>
      </EmptyState>
    );
  }
  if (status === 404) {
    return (
      <EmptyState title={`There is no such thing, or no longer: ${what}`}>
        <p>{messageOf(error)}</p>
        <p>
          It may have been deleted or renamed, or its cluster is no longer
          watched.
        </p>
        {retry}
      </EmptyState>
    );
  }
  if (status === 400) {
    return (
      <EmptyState title="The backend does not understand this request">
        <p>{messageOf(error)}</p>
        <p>
          The filters are in the address of this page; reset them and go on.
        </p>
        {retry}
      </EmptyState>
    );
  }
  return (
    <div role="alert">
      <EmptyState title={`Could not load ${what}`}>
        <p>{messageOf(error)}</p>
        <p>
          {status
            ? `The mesh backend answered with status ${status}. Its log says more.`
            : 'The mesh backend did not answer. Check the network, and that the backend runs.'}
        </p>
        {retry}
      </EmptyState>
    </div>
  );
};

/** Above content that is still shown although the last refresh failed. */
export const StaleBanner = (props: { error: Error; onRetry: () => void }) => (
  <Message
    tone="warning"
    live
    action={
      <Button size="small" variant="outlined" onClick={props.onRetry}>
        Try again
      </Button>
    }
  >
    Could not refresh: {messageOf(props.error)} What you see is the last state
    that was loaded.
  </Message>
);
