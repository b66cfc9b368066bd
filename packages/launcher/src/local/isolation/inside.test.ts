import { describe, expect, it } from 'vitest';
import { GROUP, PASSWD, buildHosts } from './inside.ts';

describe('the files that tell programs who they are', () => {
  it('name the user of the sandbox', () => {
    expect(PASSWD).toContain('\nsandbox:x:1000660000:1000660000:Sandbox:/home/omnigent:/bin/bash\n');
    expect(GROUP).toContain('\nsandbox:x:1000660000:\n');
  });

  it.each([
    ['', '127.0.0.1 sandbox\n'],
    ['127.0.0.1 localhost\n', '127.0.0.1 localhost\n127.0.0.1 sandbox\n'],
    ['127.0.0.1 localhost', '127.0.0.1 localhost\n127.0.0.1 sandbox\n'],
  ])('add the name of the sandbox to %j', (machine, hosts) => expect(buildHosts(machine)).toBe(hosts));
});
