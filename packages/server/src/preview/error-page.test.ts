import { SandboxError, toProblem } from '@omnigent/protocol';
import { expect, it } from 'vitest';
import { renderErrorPage } from './error-page.ts';

it('a page of an error has no markup of a program', () => {
  const error = new SandboxError(
    'port_not_listening',
    `programs listen on 80 (<script>alert("1")</script>&'x')`,
  );
  const page = renderErrorPage(toProblem(error));
  expect(page).toContain('80 (&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;x&#39;)');
  expect(page).not.toMatch(/<script/);
});
