import { describe, expect, it } from 'vitest';
import { isExcluded } from './no-proxy.ts';

describe('isExcluded', () => {
  it.each([
    ['https://omnigent.example.com', 'omnigent.example.com', true],
    ['https://omnigent.example.com', 'other, .Example.com', true],
    ['https://omnigent.example.com', 'example.com', true],
    ['https://omnigent.example.com', '*.example.com', true],
    ['https://omnigent.example.com', 'ample.com', false],
    ['https://omnigent.example.com', '*', true],
    ['https://omnigent.example.com', '', false],
    ['https://omnigent.example.com', 'example.com:443', true],
    ['http://omnigent.example.com', 'example.com:443', false],
    ['https://omnigent.example.com:8443', 'example.com:443', false],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3', '10.1.2.1-10.1.2.3', true],
    ['https://10.1.2.4', '10.1.2.1-10.1.2.3', false],
    ['https://10.1.2.3', '10.0.0.0/99', false],
    ['https://10.1.2.3', '10.1.2.3:8443', false],
    ['https://[fd00::1]', 'fd00::1', true],
    ['https://[fd00::1]', '[fd00::1]:443', true],
    ['https://[fd00::1]', 'fd00::/16', true],
    ['https://[fd00::1]', '10.0.0.0/8', false],
    ['https://x-y.example', 'a-b, x-y.example', true],
  ])('of %s with %j is %s', (url, excluded, expected) => {
    expect(isExcluded(new URL(url), excluded)).toBe(expected);
  });
});
