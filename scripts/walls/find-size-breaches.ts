/** Files, functions and parameter lists that have outgrown their limit. */
import type { Breach } from './breach.ts';
import { isTestFile } from './find-import-breaches.ts';
import { LIMITS } from './rules.ts';
import type { Exemption } from './rules.ts';
import type { FunctionFact, SourceFile } from './source-file.ts';

/** Finds what exceeds a limit, and exemptions that nothing needs any more. */
export function findSizeBreaches(files: readonly SourceFile[], exemptions: readonly Exemption[]): Breach[] {
  const used = new Set<Exemption>();
  const isExempt = (path: string, subject: string): boolean => {
    const exemption = exemptions.find((entry) => entry.path === path && entry.subject === subject);
    if (exemption) used.add(exemption);
    return exemption !== undefined;
  };
  const breaches = files.flatMap((file) =>
    judgeFile(file)
      .filter(({ subject }) => !isExempt(file.path, subject))
      .map(({ line, message }) => ({ path: file.path, line, message })),
  );
  const stale = exemptions
    .filter((exemption) => !used.has(exemption))
    .map(({ path, subject }) => ({
      path,
      line: 1,
      message: `has an exemption for ${subject} that nothing needs; remove it`,
    }));
  return [...breaches, ...stale];
}

interface Finding {
  readonly subject: string;
  readonly line: number;
  readonly message: string;
}

function judgeFile(file: SourceFile): Finding[] {
  const isTest = isTestFile(file.path);
  const limit = isTest ? LIMITS.testFileLines : LIMITS.fileLines;
  const findings = file.functions.flatMap((fact) => judgeFunction(fact, isTest));
  if (file.codeLines <= limit) return findings;
  return [
    { subject: '*', line: 1, message: `has ${file.codeLines} lines of code; allowed: ${limit}` },
    ...findings,
  ];
}

/** In a test file the length of a function says nothing: `describe` holds the whole file. */
function judgeFunction(fact: FunctionFact, isTest: boolean): Finding[] {
  const { name, line, codeLines, parameters } = fact;
  const findings: Finding[] = [];
  if (!isTest && codeLines > LIMITS.functionLines) {
    const message = `function ${name} has ${codeLines} lines of code; allowed: ${LIMITS.functionLines}`;
    findings.push({ subject: name, line, message });
  }
  if (parameters > LIMITS.parameters) {
    const message = `function ${name} has ${parameters} parameters; allowed: ${LIMITS.parameters}, then an options object`;
    findings.push({ subject: name, line, message });
  }
  return findings;
}
