/** Errors that callers of a launcher tell apart by more than their code. */
import { SandboxError, isErrorCode } from '@omnigent/protocol';
import type { Diagnosis, ProviderName } from '@omnigent/protocol';

/** A launch that failed, with everything that was found out before the cleanup. */
export class LaunchError extends SandboxError {
  readonly diagnosis: Diagnosis;

  constructor(diagnosis: Diagnosis, options: { readonly cause?: unknown } = {}) {
    super(isErrorCode(diagnosis.code) ? diagnosis.code : 'launch_failed', diagnosis.message, {
      ...options,
      details: { stage: diagnosis.stage },
    });
    this.name = 'LaunchError';
    this.diagnosis = diagnosis;
  }
}

/** A call that the provider does not offer; names provider and capability. */
export class SandboxCapabilityError extends SandboxError {
  constructor(provider: ProviderName, capability: string) {
    super('capability', `the ${provider} provider has no capability "${capability}"`, {
      details: { provider, capability },
    });
    this.name = 'SandboxCapabilityError';
  }
}
