import { describeApiContract } from './api/describe-api-contract.ts';
import { openFakeSubject } from './api/fake-subject.ts';

describeApiContract('the fake API server', { open: openFakeSubject, obstacle: null });
