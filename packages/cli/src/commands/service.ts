/** `omnigent plan`, `doctor`, `sweep`. */
import { EXIT } from '@omnigent/protocol';
import type { ProviderName } from '@omnigent/protocol';
import { Option } from 'commander';
import { addSandboxFlags, buildCreateRequest, checkCreateRequest } from '../arguments/create-request.ts';
import type { SandboxFlags } from '../arguments/create-request.ts';
import { connect } from '../server-access/connect.ts';
import type { ServerFlags } from '../server-access/connect.ts';
import { renderTable } from '../output/table.ts';
import { addServerFlags } from './command-context.ts';
import type { RegisterCommand } from './command-context.ts';

interface PlanFlags extends ServerFlags, SandboxFlags {
  readonly dryRun: 'none' | 'server';
}

interface DoctorFlags extends ServerFlags {
  readonly provider?: ProviderName;
  readonly deep?: boolean;
  readonly json?: boolean;
}

const providerOption = () =>
  new Option('--provider <provider>', "provider to check (default: the server's)").choices([
    'local',
    'kubernetes',
  ]);

export const registerService: RegisterCommand = (program, context) => {
  addServerFlags(addSandboxFlags(program.command('plan')))
    .description('show what a launch would create, as JSON; nothing is created')
    .addOption(
      new Option('--dry-run <mode>', 'server: let the cluster admit the objects without storing them')
        .choices(['none', 'server'])
        .default('none'),
    )
    .action(async (flags: PlanFlags) => {
      const request = await buildCreateRequest(flags, context);
      checkCreateRequest(request);
      const client = await connect(flags, { environment: context.environment });
      context.writeOut(
        `${JSON.stringify(await client.plan(request, { dryRun: flags.dryRun }), undefined, 2)}\n`,
      );
    });

  addServerFlags(program.command('doctor'))
    .description(
      'check configuration, rights and reachability before it matters; exit status 1 when something is wrong',
    )
    .addOption(providerOption())
    .option('--deep', 'also start a short-lived probe')
    .option('--json', 'as JSON')
    .action(async (flags: DoctorFlags) => {
      const client = await connect(flags, { environment: context.environment });
      const { provider, deep = false } = flags;
      const findings = await client.preflight({ deep, ...(provider === undefined ? {} : { provider }) });
      const isWrong = findings.some(({ severity }) => severity === 'error');
      context.setStatus(isWrong ? EXIT.failure : EXIT.ok);
      if (flags.json === true) return context.writeOut(`${JSON.stringify({ findings })}\n`);
      const rows = findings.map(({ severity, code, message, advice }) => [
        severity,
        code,
        advice === null || severity === 'ok' ? message : `${message} ${advice}`,
      ]);
      context.writeOut(renderTable(['RESULT', 'CHECK', 'FINDING'], rows));
    });

  addServerFlags(program.command('sweep'))
    .description('delete what no sandbox of this server owns any more')
    .option('--dry-run', 'only show it')
    .option('--json', 'as JSON')
    .action(async (flags: ServerFlags & { readonly dryRun?: boolean; readonly json?: boolean }) => {
      const client = await connect(flags, { environment: context.environment });
      const report = await client.sweep({ dryRun: flags.dryRun === true });
      context.setStatus(report.failed.length === 0 ? EXIT.ok : EXIT.failure);
      if (flags.json === true) return context.writeOut(`${JSON.stringify(report)}\n`);
      for (const id of report.deleted) context.writeOut(`${id}\n`);
      for (const { id, message } of report.failed) context.writeError(`omnigent: ${id}: ${message}\n`);
    });
};
