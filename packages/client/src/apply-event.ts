/** What an event says of the resource. Pure. */
import type { Sandbox, SandboxEvent } from '@omnigent/protocol';

/** The resource after an event; what the event does not say stays as it was last read. */
export function applyEvent(resource: Sandbox, event: SandboxEvent): Sandbox {
  switch (event.type) {
    case 'stage': {
      const { stage, at, workspace = resource.workspace, provider_id = resource.provider_id } = event;
      const stages = [...resource.stages.filter((known) => known.stage !== stage), { stage, at }];
      return { ...resource, stage, stages, workspace, provider_id };
    }
    case 'condition': {
      const { type, status } = event.condition;
      const conditions = [...resource.conditions.filter((known) => known.type !== type), event.condition];
      const isConnected = type === 'HostConnected' ? status === 'True' : resource.host.connected;
      return { ...resource, conditions, host: { ...resource.host, connected: isConnected } };
    }
    case 'failed':
      return { ...resource, diagnosis: event.diagnosis };
    case 'deleted':
      return { ...resource, deleting: true };
    case 'progress':
      return resource;
  }
}
