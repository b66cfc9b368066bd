/** Takes the ticket out of an address and leaves every other byte of it as it is. Pure. */
import { PREVIEW_TICKET } from '@omnigent/protocol';

export interface TicketQuery {
  readonly ticket: string | undefined;
  readonly url: string;
}

const IS_TICKET = new RegExp(`^${PREVIEW_TICKET}=`);

/** The first ticket of a query, and the address without any. */
export function takeTicket(url: string): TicketQuery {
  const at = url.indexOf('?');
  const parameters = at < 0 ? [] : url.slice(at + 1).split('&');
  const [first] = parameters.filter((parameter) => IS_TICKET.test(parameter));
  if (first === undefined) return { ticket: undefined, url };
  const rest = parameters.filter((parameter) => !IS_TICKET.test(parameter)).join('&');
  return {
    ticket: first.slice(first.indexOf('=') + 1),
    url: url.slice(0, at) + (rest === '' ? '' : `?${rest}`),
  };
}

/** The address for a `Location` header; one that begins with two slashes would lead to another host. */
export function toLocation(url: string): string {
  return /^\/[/\\]/.test(url) ? `/.${url}` : url;
}
