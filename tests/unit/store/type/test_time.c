/* Dates, times, timestamps and durations: text, zones, the calendar. */
#include <errno.h>
#include <time.h>

#include "store/type/native.h"
#include "store/type/time.h"
#include "store/type/timestamp.h"
#include "store/type/value.h"
#include "store/type/zone.h"
#include "tests/lib/native.h"
#include "tests/unit/suite.h"

static const struct native_case cases[] = {
	{ TYPE_DATE, LITERAL_STRING, "1970-01-01", "80000000", "1970-01-01" },
	{ TYPE_DATE, LITERAL_STRING, "1969-12-31", "7fffffff", "1969-12-31" },
	{ TYPE_DATE, LITERAL_STRING, "2016-10-04", "800042b6", "2016-10-04" },
	{ TYPE_DATE, LITERAL_STRING, "2000-02-29", "80002b08", "2000-02-29" },
	{ TYPE_DATE, LITERAL_STRING, "1900-02-29",
	  NULL, "Unable to coerce '1900-02-29' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "2023-02-29",
	  NULL, "Unable to coerce '2023-02-29' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "2024-02-30",
	  NULL, "Unable to coerce '2024-02-30' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "0001-01-01", "7ff506c6", "0001-01-01" },
	{ TYPE_DATE, LITERAL_STRING, "0000-01-01", "7ff50558", "0000-01-01" },
	{ TYPE_DATE, LITERAL_STRING, "-0001-01-01", "7ff503eb", "-0001-01-01" },
	{ TYPE_DATE, LITERAL_STRING, "9999-12-31", "802cc0a0", "9999-12-31" },
	{ TYPE_DATE, LITERAL_STRING, "10000-01-01",
	  NULL, "Unable to coerce '10000-01-01' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "+10000-01-01", "802cc0a1", "+10000-01-01" },
	{ TYPE_DATE, LITERAL_STRING, "5881580-07-11",
	  NULL, "Unable to coerce '5881580-07-11' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "5881580-07-12",
	  NULL, "Unable to coerce '5881580-07-12' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "-5877641-06-23", "00000000", "-5877641-06-23" },
	{ TYPE_DATE, LITERAL_STRING, "-5877641-06-22",
	  NULL, "Input date -5877641-06-22 is less than min supported date -5877641-06-23T00:00Z" },
	{ TYPE_DATE, LITERAL_STRING, "2016-1-4",
	  NULL, "Unable to coerce '2016-1-4' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "2016-10-4",
	  NULL, "Unable to coerce '2016-10-4' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "16-10-04",
	  NULL, "Unable to coerce '16-10-04' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "2016/10/04",
	  NULL, "Unable to coerce '2016/10/04' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "20161004", "0133a1ec", "-5822442-06-06" },
	{ TYPE_DATE, LITERAL_STRING, "2016-10",
	  NULL, "Unable to coerce '2016-10' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "2016-10-04T00:00:00",
	  NULL, "Unable to coerce '2016-10-04T00:00:00' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "2016-10-04 00:00",
	  NULL, "Unable to coerce '2016-10-04 00:00' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, " 2016-10-04",
	  NULL, "Unable to coerce ' 2016-10-04' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "2016-13-01",
	  NULL, "Unable to coerce '2016-13-01' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "2016-00-01",
	  NULL, "Unable to coerce '2016-00-01' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "2016-10-00",
	  NULL, "Unable to coerce '2016-10-00' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "2016-10-32",
	  NULL, "Unable to coerce '2016-10-32' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "",
	  NULL, "Unable to coerce '' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "now",
	  NULL, "Unable to coerce 'now' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_STRING, "today",
	  NULL, "Unable to coerce 'today' to a formatted date (long)" },
	{ TYPE_DATE, LITERAL_INTEGER, "0", "00000000", "-5877641-06-23" },
	{ TYPE_DATE, LITERAL_INTEGER, "1", "00000001", "-5877641-06-24" },
	{ TYPE_DATE, LITERAL_INTEGER, "-1",
	  NULL, "Unable to make unsigned int (for date) from: '-1'" },
	{ TYPE_DATE, LITERAL_INTEGER, "2147483648", "80000000", "1970-01-01" },
	{ TYPE_DATE, LITERAL_INTEGER, "2147483647", "7fffffff", "1969-12-31" },
	{ TYPE_DATE, LITERAL_INTEGER, "4294967295", "ffffffff", "+5881580-07-11" },
	{ TYPE_DATE, LITERAL_INTEGER, "4294967296",
	  NULL, "Unable to make unsigned int (for date) from: '4294967296'" },
	{ TYPE_DATE, LITERAL_INTEGER, "-2147483648",
	  NULL, "Unable to make unsigned int (for date) from: '-2147483648'" },
	{ TYPE_DATE, LITERAL_STRING, "0", "00000000", "-5877641-06-23" },
	{ TYPE_DATE, LITERAL_STRING, "2147483648", "80000000", "1970-01-01" },
	{ TYPE_DATE, LITERAL_STRING, "4294967295", "ffffffff", "+5881580-07-11" },
	{ TYPE_DATE, LITERAL_STRING, "4294967296",
	  NULL, "Unable to make unsigned int (for date) from: '4294967296'" },
	{ TYPE_DATE, LITERAL_STRING, "-1",
	  NULL, "Unable to make unsigned int (for date) from: '-1'" },
	{ TYPE_DATE, LITERAL_STRING, "-2147483649",
	  NULL, "Unable to make unsigned int (for date) from: '-2147483649'" },
	{ TYPE_DATE, LITERAL_STRING, "2147483648.0",
	  NULL, "Unable to coerce '2147483648.0' to a formatted date (long)" },
	{ TYPE_TIME, LITERAL_STRING, "00:00:00", "0000000000000000", "00:00:00.000000000" },
	{ TYPE_TIME, LITERAL_STRING, "23:59:59", "00004e9455b43600", "23:59:59.000000000" },
	{ TYPE_TIME, LITERAL_STRING, "23:59:59.999999999",
	  "00004e94914effff", "23:59:59.999999999" },
	{ TYPE_TIME, LITERAL_STRING, "24:00:00",
	  NULL, "(TimeType) Unable to coerce '24:00:00' to a formatted time (long)" },
	{ TYPE_TIME, LITERAL_STRING, "08:12:54", "00001ae5bbc3bc00", "08:12:54.000000000" },
	{ TYPE_TIME, LITERAL_STRING, "08:12:54.1", "00001ae5c1b99d00", "08:12:54.100000000" },
	{ TYPE_TIME, LITERAL_STRING, "08:12:54.12", "00001ae5c2eaca00", "08:12:54.120000000" },
	{ TYPE_TIME, LITERAL_STRING, "08:12:54.123", "00001ae5c31890c0", "08:12:54.123000000" },
	{ TYPE_TIME, LITERAL_STRING, "08:12:54.123456",
	  "00001ae5c31f8600", "08:12:54.123456000" },
	{ TYPE_TIME, LITERAL_STRING, "08:12:54.123456789",
	  "00001ae5c31f8915", "08:12:54.123456789" },
	{ TYPE_TIME, LITERAL_STRING, "08:12:54.1234567890",
	  NULL, "(TimeType) Unable to coerce '08:12:54.1234567890' to a formatted time (long)" },
	{ TYPE_TIME, LITERAL_STRING, "08:12:54.",
	  NULL, "(TimeType) Unable to coerce '08:12:54.' to a formatted time (long)" },
	{ TYPE_TIME, LITERAL_STRING, "8:12:54", "00001ae5bbc3bc00", "08:12:54.000000000" },
	{ TYPE_TIME, LITERAL_STRING, "8:2:4", "00001a4e64bed800", "08:02:04.000000000" },
	{ TYPE_TIME, LITERAL_STRING, "08:12",
	  NULL, "(TimeType) Unable to coerce '08:12' to a formatted time (long)" },
	{ TYPE_TIME, LITERAL_STRING, "08", "0000000000000008", "00:00:00.000000008" },
	{ TYPE_TIME, LITERAL_STRING, "08:60:00",
	  NULL, "(TimeType) Unable to coerce '08:60:00' to a formatted time (long)" },
	{ TYPE_TIME, LITERAL_STRING, "08:12:60",
	  NULL, "(TimeType) Unable to coerce '08:12:60' to a formatted time (long)" },
	{ TYPE_TIME, LITERAL_STRING, "-08:12:54",
	  NULL, "(TimeType) Unable to coerce '-08:12:54' to a formatted time (long)" },
	{ TYPE_TIME, LITERAL_STRING, "08:12:54Z",
	  NULL, "(TimeType) Unable to coerce '08:12:54Z' to a formatted time (long)" },
	{ TYPE_TIME, LITERAL_STRING, "08:12:54+01",
	  NULL, "(TimeType) Unable to coerce '08:12:54+01' to a formatted time (long)" },
	{ TYPE_TIME, LITERAL_STRING, " 08:12:54", "00001ae5bbc3bc00", "08:12:54.000000000" },
	{ TYPE_TIME, LITERAL_STRING, "08:12:54 ", "00001ae5bbc3bc00", "08:12:54.000000000" },
	{ TYPE_TIME, LITERAL_STRING, "08-12-54",
	  NULL, "(TimeType) Unable to coerce '08-12-54' to a formatted time (long)" },
	{ TYPE_TIME, LITERAL_STRING, "",
	  NULL, "(TimeType) Unable to coerce '' to a formatted time (long)" },
	{ TYPE_TIME, LITERAL_STRING, "now",
	  NULL, "(TimeType) Unable to coerce 'now' to a formatted time (long)" },
	{ TYPE_TIME, LITERAL_INTEGER, "0", "0000000000000000", "00:00:00.000000000" },
	{ TYPE_TIME, LITERAL_INTEGER, "1", "0000000000000001", "00:00:00.000000001" },
	{ TYPE_TIME, LITERAL_INTEGER, "86399999999999",
	  "00004e94914effff", "23:59:59.999999999" },
	{ TYPE_TIME, LITERAL_INTEGER, "86400000000000",
	  NULL, "Unable to make long (for time) from: '86400000000000'" },
	{ TYPE_TIME, LITERAL_INTEGER, "-1", NULL, "Unable to make long (for time) from: '-1'" },
	{ TYPE_TIME, LITERAL_STRING, "0", "0000000000000000", "00:00:00.000000000" },
	{ TYPE_TIME, LITERAL_STRING, "86399999999999",
	  "00004e94914effff", "23:59:59.999999999" },
	{ TYPE_TIME, LITERAL_STRING, "86400000000000",
	  NULL, "Unable to make long (for time) from: '86400000000000'" },
	{ TYPE_TIME, LITERAL_STRING, "-1", NULL, "Unable to make long (for time) from: '-1'" },
	{ TYPE_TIME, LITERAL_STRING, "12345", "0000000000003039", "00:00:00.000012345" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04",
	  "000001578cfd6800", "2016-10-04T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04Z",
	  "000001578cfd6800", "2016-10-04T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04+0000",
	  "000001578cfd6800", "2016-10-04T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04+01",
	  "000001578cc67980", "2016-10-03T23:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 +0100",
	  "000001578cc67980", "2016-10-03T23:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04+01:30",
	  "000001578cab0240", "2016-10-03T22:30:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34",
	  "000001578fafb6c0", "2016-10-04T12:34:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34",
	  "000001578fafb6c0", "2016-10-04T12:34:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04t12:34",
	  NULL, "Unable to parse a date/time from '2016-10-04t12:34'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34Z",
	  "000001578fafb6c0", "2016-10-04T12:34:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34z",
	  NULL, "Unable to parse a date/time from '2016-10-04 12:34z'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34Z",
	  "000001578fafb6c0", "2016-10-04T12:34:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56",
	  "000001578fb09180", "2016-10-04T12:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56",
	  "000001578fb09180", "2016-10-04T12:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56Z",
	  "000001578fb09180", "2016-10-04T12:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.1",
	  "000001578fb091e4", "2016-10-04T12:34:56.100Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.12",
	  "000001578fb091f8", "2016-10-04T12:34:56.120Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.123",
	  "000001578fb091fb", "2016-10-04T12:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.1234",
	  "000001578fb091fb", "2016-10-04T12:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.123456",
	  "000001578fb091fb", "2016-10-04T12:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.123456789",
	  "000001578fb091fb", "2016-10-04T12:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.1234567890",
	  NULL, "Unable to parse a date/time from '2016-10-04T12:34:56.1234567890'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.9999",
	  "000001578fb09567", "2016-10-04T12:34:56.999Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.123Z",
	  "000001578fb091fb", "2016-10-04T12:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.123456Z",
	  "000001578fb091fb", "2016-10-04T12:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.123456+0000",
	  "000001578fb091fb", "2016-10-04T12:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.123+01",
	  "000001578f79a37b", "2016-10-04T11:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.123+0100",
	  "000001578f79a37b", "2016-10-04T11:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.123+01:00",
	  "000001578f79a37b", "2016-10-04T11:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.123-0530",
	  "0000015790deb1bb", "2016-10-04T18:04:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.123-05:30",
	  "0000015790deb1bb", "2016-10-04T18:04:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56.123+0000",
	  "000001578fb091fb", "2016-10-04T12:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56 +0000",
	  "000001578fb09180", "2016-10-04T12:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56 +01:00",
	  "000001578f79a300", "2016-10-04T11:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56.123 +0100",
	  "000001578f79a37b", "2016-10-04T11:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56.123 UTC",
	  "000001578fb091fb", "2016-10-04T12:34:56.123Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56 GMT",
	  "000001578fb09180", "2016-10-04T12:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56 PST",
	  "0000015791311700", "2016-10-04T19:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56 PDT",
	  "0000015791311700", "2016-10-04T19:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56 EST",
	  "00000157908c4b80", "2016-10-04T16:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56 CET",
	  "000001578f42b480", "2016-10-04T10:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56 Europe/Berlin",
	  "000001578f42b480", "2016-10-04T10:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56UTC",
	  NULL, "Unable to parse a date/time from '2016-10-04 12:34:56UTC'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56+1400",
	  "000001578caf8680", "2016-10-03T22:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56+1500",
	  "000001578c789800", "2016-10-03T21:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56+24",
	  NULL, "Unable to parse a date/time from '2016-10-04T12:34:56+24'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56+1",
	  NULL, "Unable to parse a date/time from '2016-10-04T12:34:56+1'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56+01:0",
	  NULL, "Unable to parse a date/time from '2016-10-04T12:34:56+01:0'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:56-0000",
	  "000001578fb09180", "2016-10-04T12:34:56.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-1-4",
	  NULL, "Unable to parse a date/time from '2016-1-4'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-1-4 1:2",
	  "000001520a27b340", "2016-01-04T01:02:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-01-04 1:2:3",
	  "000001520a27bef8", "2016-01-04T01:02:03.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-01-04T1:2:3.4Z",
	  "000001520a27c088", "2016-01-04T01:02:03.400Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T24:00:00",
	  "000001579223c400", "2016-10-05T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T25:00:00",
	  NULL, "Unable to parse a date/time from '2016-10-04T25:00:00'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:60:00",
	  NULL, "Unable to parse a date/time from '2016-10-04T12:60:00'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:60",
	  NULL, "Unable to parse a date/time from '2016-10-04T12:34:60'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12:34:61",
	  NULL, "Unable to parse a date/time from '2016-10-04T12:34:61'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-02-30",
	  "000001532a531000", "2016-02-29T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-13-01",
	  NULL, "Unable to parse a date/time from '2016-13-01'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2023-02-29",
	  "000001869551a000", "2023-02-28T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T",
	  NULL, "Unable to parse a date/time from '2016-10-04T'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 ",
	  NULL, "Unable to parse a date/time from '2016-10-04 '" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, " 2016-10-04",
	  NULL, "Unable to parse a date/time from ' 2016-10-04'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04  12:34",
	  NULL, "Unable to parse a date/time from '2016-10-04  12:34'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T12",
	  NULL, "Unable to parse a date/time from '2016-10-04T12'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10",
	  NULL, "Unable to parse a date/time from '2016-10'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016",
	  "00000000000007e0", "1970-01-01T00:00:02.016Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "16-10-04",
	  NULL, "Unable to parse a date/time from '16-10-04'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016/10/04",
	  NULL, "Unable to parse a date/time from '2016/10/04'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "20161004",
	  "000000000133a1ec", "1970-01-01T05:36:01.004Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "20161004T123456Z",
	  NULL, "Unable to parse a date/time from '20161004T123456Z'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "Tue Oct 04 2016",
	  NULL, "Unable to parse a date/time from 'Tue Oct 04 2016'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "1970-01-01T00:00:00Z",
	  "0000000000000000", "1970-01-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "1969-12-31T23:59:59.999Z",
	  "ffffffffffffffff", "1969-12-31T23:59:59.999Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "0001-01-01T00:00:00Z",
	  "ffffc77cedd32800", "0001-01-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "0000-01-01",
	  "ffffc77590fba000", "0000-01-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "-0001-01-01",
	  "ffffc76e394a7400", "-0001-01-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "9999-12-31T23:59:59.999Z",
	  "0000e677d21fdbff", "9999-12-31T23:59:59.999Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "10000-01-01T00:00:00Z",
	  "0000e677d21fdc00", "+10000-01-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "1582-10-04",
	  "fffff4e2c0beb800", "1582-10-04T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "1582-10-10",
	  "fffff4e2dfa4e000", "1582-10-10T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "1582-10-15",
	  "fffff4e2f964ac00", "1582-10-15T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "1500-03-01T00:00:00Z",
	  "fffff283e57b7400", "1500-03-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "", "", "" },
	{ TYPE_TIMESTAMP, LITERAL_INTEGER, "0",
	  "0000000000000000", "1970-01-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_INTEGER, "1",
	  "0000000000000001", "1970-01-01T00:00:00.001Z" },
	{ TYPE_TIMESTAMP, LITERAL_INTEGER, "-1",
	  "ffffffffffffffff", "1969-12-31T23:59:59.999Z" },
	{ TYPE_TIMESTAMP, LITERAL_INTEGER, "1475584440000",
	  "000001578fafb6c0", "2016-10-04T12:34:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "1475584440000",
	  "000001578fafb6c0", "2016-10-04T12:34:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "0", "0000000000000000", "1970-01-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "-1",
	  "ffffffffffffffff", "1969-12-31T23:59:59.999Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "007",
	  "0000000000000007", "1970-01-01T00:00:00.007Z" },
	{ TYPE_TIMESTAMP, LITERAL_INTEGER, "9223372036854775807",
	  "7fffffffffffffff", "+292278994-08-17T07:12:55.807Z" },
	{ TYPE_TIMESTAMP, LITERAL_INTEGER, "-9223372036854775808",
	  "8000000000000000", "-292275055-05-16T16:47:04.192Z" },
	{ TYPE_TIMESTAMP, LITERAL_INTEGER, "9223372036854775808",
	  NULL, "Unable to make long (for date) from: '9223372036854775808'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "9223372036854775807",
	  "7fffffffffffffff", "+292278994-08-17T07:12:55.807Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "9223372036854775808",
	  NULL, "Unable to make long (for date) from: '9223372036854775808'" },
	{ TYPE_TIMESTAMP, LITERAL_INTEGER, "253402300800000",
	  "0000e677d21fdc00", "+10000-01-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_INTEGER, "-62135596800000",
	  "ffffc77cedd32800", "0001-01-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_INTEGER, "-62135596800001",
	  "ffffc77cedd327ff", "0000-12-31T23:59:59.999Z" },
	{ TYPE_TIMESTAMP, LITERAL_INTEGER, "-62167219200000",
	  "ffffc77590fba000", "0000-01-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_INTEGER, "-100000000000000",
	  "ffffa50cef85c000", "-1199-02-15T14:13:20.000Z" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "yesterday",
	  NULL, "Unable to parse a date/time from 'yesterday'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "epoch",
	  NULL, "Unable to parse a date/time from 'epoch'" },
	{ TYPE_DURATION, LITERAL_DURATION, "1y", "180000", "1y" },
	{ TYPE_DURATION, LITERAL_DURATION, "1Y", "180000", "1y" },
	{ TYPE_DURATION, LITERAL_DURATION, "1mo", "020000", "1mo" },
	{ TYPE_DURATION, LITERAL_DURATION, "1MO", "020000", "1mo" },
	{ TYPE_DURATION, LITERAL_DURATION, "1w", "000e00", "7d" },
	{ TYPE_DURATION, LITERAL_DURATION, "1d", "000200", "1d" },
	{ TYPE_DURATION, LITERAL_DURATION, "1h", "0000fc068c61714000", "1h" },
	{ TYPE_DURATION, LITERAL_DURATION, "1m", "0000f81bf08eb000", "1m" },
	{ TYPE_DURATION, LITERAL_DURATION, "1s", "0000f077359400", "1s" },
	{ TYPE_DURATION, LITERAL_DURATION, "1ms", "0000de8480", "1ms" },
	{ TYPE_DURATION, LITERAL_DURATION, "1us", "000087d0", "1us" },
	{ TYPE_DURATION, LITERAL_DURATION, "1\302\265s", "000087d0", "1us" },
	{ TYPE_DURATION, LITERAL_DURATION, "1ns", "000002", "1ns" },
	{ TYPE_DURATION, LITERAL_DURATION, "1NS", "000002", "1ns" },
	{ TYPE_DURATION, LITERAL_DURATION, "1y2mo3w4d5h6m7s8ms9us10ns",
	  "1c32fc2168cdf9d664", "1y2mo25d5h6m7s8ms9us10ns" },
	{ TYPE_DURATION, LITERAL_DURATION, "-1y2mo3w4d5h6m7s8ms9us10ns",
	  "1b31fc2168cdf9d663", "-1y2mo25d5h6m7s8ms9us10ns" },
	{ TYPE_DURATION, LITERAL_DURATION, "12mo", "180000", "1y" },
	{ TYPE_DURATION, LITERAL_DURATION, "13mo", "1a0000", "1y1mo" },
	{ TYPE_DURATION, LITERAL_DURATION, "24mo", "300000", "2y" },
	{ TYPE_DURATION, LITERAL_DURATION, "7d", "000e00", "7d" },
	{ TYPE_DURATION, LITERAL_DURATION, "8d", "001000", "8d" },
	{ TYPE_DURATION, LITERAL_DURATION, "24h", "0000fc9d29229e0000", "24h" },
	{ TYPE_DURATION, LITERAL_DURATION, "25h", "0000fca3b5840f4000", "25h" },
	{ TYPE_DURATION, LITERAL_DURATION, "60m", "0000fc068c61714000", "1h" },
	{ TYPE_DURATION, LITERAL_DURATION, "61m", "0000fc06a851fff000", "1h1m" },
	{ TYPE_DURATION, LITERAL_DURATION, "60s", "0000f81bf08eb000", "1m" },
	{ TYPE_DURATION, LITERAL_DURATION, "61s", "0000f81c67c44400", "1m1s" },
	{ TYPE_DURATION, LITERAL_DURATION, "1000ms", "0000f077359400", "1s" },
	{ TYPE_DURATION, LITERAL_DURATION, "1001ms", "0000f077541880", "1s1ms" },
	{ TYPE_DURATION, LITERAL_DURATION, "1000us", "0000de8480", "1ms" },
	{ TYPE_DURATION, LITERAL_DURATION, "1000ns", "000087d0", "1us" },
	{ TYPE_DURATION, LITERAL_DURATION, "1000000000ns", "0000f077359400", "1s" },
	{ TYPE_DURATION, LITERAL_DURATION, "0s", "000000", "" },
	{ TYPE_DURATION, LITERAL_DURATION, "0d", "000000", "" },
	{ TYPE_DURATION, LITERAL_DURATION, "0mo", "000000", "" },
	{ TYPE_DURATION, LITERAL_DURATION, "-0s", "000000", "" },
	{ TYPE_DURATION, LITERAL_DURATION, "1h1h",
	  NULL, "Invalid duration. The hours are specified multiple times" },
	{ TYPE_DURATION, LITERAL_DURATION, "1h1y",
	  NULL, "Invalid duration. The hours should be after years" },
	{ TYPE_DURATION, LITERAL_DURATION, "1d1mo",
	  NULL, "Invalid duration. The days should be after months" },
	{ TYPE_DURATION, LITERAL_DURATION, "1s1m",
	  NULL, "Invalid duration. The seconds should be after minutes" },
	{ TYPE_DURATION, LITERAL_DURATION, "2h30m", "0000fc105ef39b2000", "2h30m" },
	{ TYPE_DURATION, LITERAL_INTEGER, "1", NULL, "Unable to convert '1' to a duration" },
	{ TYPE_DURATION, LITERAL_INTEGER, "0", NULL, "Unable to convert '0' to a duration" },
	{ TYPE_DURATION, LITERAL_DURATION, "P1Y", "180000", "1y" },
	{ TYPE_DURATION, LITERAL_DURATION, "P1M", "020000", "1mo" },
	{ TYPE_DURATION, LITERAL_DURATION, "P1D", "000200", "1d" },
	{ TYPE_DURATION, LITERAL_DURATION, "P1W", "000e00", "7d" },
	{ TYPE_DURATION, LITERAL_DURATION, "P2W", "001c00", "14d" },
	{ TYPE_DURATION, LITERAL_DURATION, "-P1Y", "170000", "-1y" },
	{ TYPE_DURATION, LITERAL_DURATION, "-P2W", "001b00", "-14d" },
	{ TYPE_DURATION, LITERAL_DURATION, "PT1H", "0000fc068c61714000", "1h" },
	{ TYPE_DURATION, LITERAL_DURATION, "PT1M", "0000f81bf08eb000", "1m" },
	{ TYPE_DURATION, LITERAL_DURATION, "PT1S", "0000f077359400", "1s" },
	{ TYPE_DURATION, LITERAL_DURATION, "P1Y2M3DT4H5M6S",
	  "1c06fc1ac003cfe800", "1y2mo3d4h5m6s" },
	{ TYPE_DURATION, LITERAL_DURATION, "-P1Y2M3DT4H5M6S",
	  "1b05fc1ac003cfe7ff", "-1y2mo3d4h5m6s" },
	{ TYPE_DURATION, LITERAL_DURATION, "P1YT1S", "1800f077359400", "1y1s" },
	{ TYPE_DURATION, LITERAL_DURATION, "PT89H8M53S", "0000fe0247c612ec6400", "89h8m53s" },
	{ TYPE_DURATION, LITERAL_DURATION, "P0001-02-03T04:05:06",
	  "1c06fc1ac003cfe800", "1y2mo3d4h5m6s" },
	{ TYPE_DURATION, LITERAL_DURATION, "P0000-00-00T89:09:09",
	  "0000fe0247cd8645a400", "89h9m9s" },
	{ TYPE_DURATION, LITERAL_DURATION, "-P0001-02-03T04:05:06",
	  "1b05fc1ac003cfe7ff", "-1y2mo3d4h5m6s" },
	{ TYPE_DURATION, LITERAL_DURATION, "178956970y", "f0fffffff00000", "178956970y" },
	{ TYPE_DURATION, LITERAL_DURATION, "178956970y7mo", "f0fffffffe0000", "178956970y7mo" },
	{ TYPE_DURATION, LITERAL_DURATION, "178956970y8mo",
	  NULL, "Invalid duration. The total number of months must be less or equal to 2147483647" },
	{ TYPE_DURATION, LITERAL_DURATION, "2147483647mo", "f0fffffffe0000", "178956970y7mo" },
	{ TYPE_DURATION, LITERAL_DURATION, "2147483648mo",
	  NULL, "Invalid duration. The total number of months must be less or equal to 2147483647" },
	{ TYPE_DURATION, LITERAL_DURATION, "2147483647d", "00f0fffffffe00", "2147483647d" },
	{ TYPE_DURATION, LITERAL_DURATION, "2147483648d",
	  NULL, "Invalid duration. The total number of days must be less or equal to 2147483647" },
	{ TYPE_DURATION, LITERAL_DURATION, "306783378w", "00f0fffffffc00", "2147483646d" },
	{ TYPE_DURATION, LITERAL_DURATION, "306783379w",
	  NULL, "Invalid duration. The total number of days must be less or equal to 2147483647" },
	{ TYPE_DURATION, LITERAL_DURATION, "9223372036854775807ns",
	  "0000fffffffffffffffffe", "2562047h47m16s854ms775us807ns" },
	{ TYPE_DURATION, LITERAL_DURATION, "2562047h47m16s854ms775us807ns",
	  "0000fffffffffffffffffe", "2562047h47m16s854ms775us807ns" },
	{ TYPE_DURATION, LITERAL_DURATION, "2562048h",
	  NULL, "Invalid duration. The total number of nanoseconds must be less or equal to 2147483647" },
	{ TYPE_DURATION, LITERAL_DURATION, "1h2s3m",
	  NULL, "Invalid duration. The seconds should be after minutes" },
	{ TYPE_DURATION, LITERAL_DURATION, "1us1\302\265s",
	  NULL, "Invalid duration. The microseconds are specified multiple times" },
	{ TYPE_DURATION, LITERAL_DURATION, "1\302\265S", "000087d0", "1us" },
	{ TYPE_DURATION, LITERAL_DURATION, "1Us", "000087d0", "1us" },
	{ TYPE_DURATION, LITERAL_DURATION, "1mS", "0000de8480", "1ms" },
	{ TYPE_DURATION, LITERAL_DURATION, "1Mo", "020000", "1mo" },
	{ TYPE_DURATION, LITERAL_DURATION, "1y1Mo", "1a0000", "1y1mo" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "+10000-01-01T00:00:00.000Z", NULL,
	  "Unable to parse a date/time from '+10000-01-01T00:00:00.000Z'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56 Nowhere/Land",
	  NULL,
	  "Unable to parse a date/time from '2016-10-04 12:34:56 Nowhere/Land'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04 12:34:56 ../passwd", NULL,
	  "Unable to parse a date/time from '2016-10-04 12:34:56 ../passwd'" },
	{ TYPE_TIMESTAMP, LITERAL_STRING, "2016-10-04T24:00:01", NULL,
	  "Unable to parse a date/time from '2016-10-04T24:00:01'" },
	{ TYPE_DURATION, LITERAL_STRING, "1h", NULL,
	  "Invalid STRING constant (1h) for \"v\" of type duration" },
	{ TYPE_DATE, LITERAL_FLOAT, "1.5", NULL,
	  "Invalid FLOAT constant (1.5) for \"v\" of type date" },
};

START_TEST(a_constant_is_read)
{
	native_check(&cases[_i]);
}
END_TEST

/* Texts that are valid in a file and not as a constant. */
static const struct native_text texts[] = {
	{ TYPE_TIMESTAMP, "+10000-01-01T00:00:00.000Z", "0000e677d21fdc00" },
	{ TYPE_TIMESTAMP, "-0001-01-01T00:00:00.000Z", "ffffc76e394a7400" },
	{ TYPE_TIMESTAMP, "", "" },
	{ TYPE_DURATION, "", "000000" },
	{ TYPE_DURATION, "PT1H", "0000fc068c61714000" },
	{ TYPE_DURATION, "P1W2D", NULL }, { TYPE_DURATION, "1", NULL },
	{ TYPE_DURATION, "-", NULL }, { TYPE_DURATION, "P1H", NULL },
	{ TYPE_DURATION, "PT1Y", NULL }, { TYPE_DURATION, "p1y", NULL },
	{ TYPE_DURATION, "P1M1Y", NULL }, { TYPE_DURATION, "1.5h", NULL },
	{ TYPE_DURATION, "P0001-02-03T04:05:6", NULL },
	{ TYPE_DURATION, "9223372036854775808ns", NULL },
	{ TYPE_DATE, "+2016-10-04", NULL }, { TYPE_DATE, "-0000-01-01", NULL },
	{ TYPE_DATE, "+01000-01-01", "7ffa9813" },
	{ TYPE_TIME, "1:2:3.", NULL }, { TYPE_TIME, "1:2:3.x", NULL },
	{ TYPE_TIME, "1:2", NULL }, { TYPE_TIME, ":1:2", NULL },
};

START_TEST(a_text_is_read)
{
	native_check_text(&texts[_i]);
}
END_TEST

START_TEST(now_is_the_present_time)
{
	struct buf value = BUF_INIT;
	struct type_error error;
	int64_t before = (int64_t)time(NULL) * 1000, ms;

	ck_assert_int_eq(native_read_text(&value, TYPE_TIMESTAMP,
					  bytes_str("NoW"), &error), 0);
	ms = (int64_t)get_be64(value.ptr);
	ck_assert(ms >= before && ms < before + 600000);
	buf_release(&value);
}
END_TEST

/* A timestamp as a file, as CAST and as JSON have it. */
static const struct {
	int64_t ms;
	const char *texts[3];
} styles[] = {
	{ 1475584440000, { "2016-10-04T12:34:00.000Z",
			   "2016-10-04T12:34:00.000Z",
			   "2016-10-04 12:34:00.000Z" } },
	{ 253402300800000, { "+10000-01-01T00:00:00.000Z",
			     "+10000-01-01T00:00:00.000Z",
			     "+10000-01-01 00:00:00.000Z" } },
	{ -62167219200000, { "0000-01-01T00:00:00.000Z",
			     "0001-01-01T00:00:00.000Z",
			     "0001-01-01 00:00:00.000Z" } },
	{ -100000000000000, { "-1199-02-15T14:13:20.000Z",
			      "1200-02-15T14:13:20.000Z",
			      "1200-02-15 14:13:20.000Z" } },
	{ INT64_MIN, { "-292275055-05-16T16:47:04.192Z",
		       "+292275056-05-16T16:47:04.192Z",
		       "+292275056-05-16 16:47:04.192Z" } },
};

START_TEST(a_timestamp_has_styles)
{
	struct buf text = BUF_INIT;
	int style;

	for (style = TIMESTAMP_TEXT; style <= TIMESTAMP_JSON; style++) {
		buf_clear(&text);
		timestamp_print(&text, styles[_i].ms,
				     (enum timestamp_style)style);
		ck_assert_str_eq(buf_cstr(&text), styles[_i].texts[style]);
	}
	buf_release(&text);
}
END_TEST

/* CQL reads the years 1 to 9999 as they are printed; of others the number. */
static const struct {
	int64_t ms;
	const char *literal;
} literals[] = {
	{ -62135596800001, "-62135596800001" },
	{ -62135596800000, "'0001-01-01T00:00:00.000Z'" },
	{ 253402300799999, "'9999-12-31T23:59:59.999Z'" },
	{ 253402300800000, "253402300800000" },
};

START_TEST(a_timestamp_is_a_literal)
{
	uint8_t value[8];
	struct buf text = BUF_INIT;

	put_be64(value, (uint64_t)literals[_i].ms);
	type_print_literal(&text, type_native(TYPE_TIMESTAMP),
			   bytes_of(value, sizeof(value)));
	ck_assert_str_eq(buf_cstr(&text), literals[_i].literal);
	buf_release(&text);
}
END_TEST

/* Against counting day by day. */
START_TEST(the_calendar_has_no_gaps)
{
	int64_t start = time_days(1896, 2, 20), day, year, last_year = 1896;
	unsigned month, month_day, last_month = 2, last_day = 19;

	for (day = start; day < start + 150000; day++) {
		time_civil(day, &year, &month, &month_day);
		ck_assert_int_eq(time_days(year, month, month_day), day);
		if (month_day != 1) {
			ck_assert_uint_eq(month_day, last_day + 1);
		} else {
			ck_assert_uint_eq(last_day, time_month_length(
						last_year, last_month));
			ck_assert_uint_eq(month, last_month % 12 + 1);
		}
		last_year = year;
		last_month = month;
		last_day = month_day;
	}
	ck_assert_int_eq(time_days(1970, 1, 1), 0);
	ck_assert_int_eq(time_days(-1, 1, 1), -719893);
}
END_TEST

/* Local times and what UTC was then; gaps and overlaps as Java has them. */
static const struct {
	const char *zone, *local;
	int64_t seconds;
} zones[] = {
	{ "Europe/Berlin", "2016-01-01", 3600 },
	{ "Europe/Berlin", "2016-07-01", 7200 },
	{ "Europe/Berlin", "2016-03-27 01:59:59", 3600 },
	{ "Europe/Berlin", "2016-03-27 02:30:00", 3600 },	/* skipped */
	{ "Europe/Berlin", "2016-03-27 03:00:00", 7200 },
	{ "Europe/Berlin", "2016-10-30 02:30:00", 7200 },	/* twice */
	{ "Europe/Berlin", "2016-10-30 03:00:00", 3600 },
	{ "Europe/Berlin", "2150-01-01", 3600 },	/* by the rule */
	{ "Europe/Berlin", "2150-07-01", 7200 },
	{ "Australia/Sydney", "2150-01-01", 39600 },
	{ "Australia/Sydney", "2150-07-01", 36000 },
	{ "America/New_York", "2150-07-01", -14400 },
	{ "EST", "2016-10-04", -14400 }, { "EST", "2016-12-04", -18000 },
	{ "PST", "2016-10-04", -25200 }, { "CEST", "2016-12-04", 3600 },
	{ "Asia/Kolkata", "2016-10-04", 19800 }, { "UTC", "2016-10-04", 0 },
};

START_TEST(a_zone_has_an_offset)
{
	struct buf value = BUF_INIT;
	struct type_error error;
	int64_t offset, local;

	ck_assert_int_eq(native_read_text(&value, TYPE_TIMESTAMP,
					  bytes_str(zones[_i].local), &error),
			 0);
	local = (int64_t)get_be64(value.ptr) / 1000;
	/* A machine may have no time zones installed. */
	if (zone_offset(&offset, bytes_str(zones[_i].zone), local))
		ck_assert_msg(offset == zones[_i].seconds, "%s %s",
			      zones[_i].zone, zones[_i].local);
	buf_release(&value);
}
END_TEST

SUITE(time)
{
	TCase *tc = tcase_create("time");

	tcase_add_loop_test(tc, a_constant_is_read, 0, (int)ARRAY_SIZE(cases));
	tcase_add_loop_test(tc, a_text_is_read, 0, (int)ARRAY_SIZE(texts));
	tcase_add_test(tc, now_is_the_present_time);
	tcase_add_loop_test(tc, a_timestamp_is_a_literal, 0,
			    ARRAY_SIZE(literals));
	tcase_add_loop_test(tc, a_timestamp_has_styles, 0,
			    (int)ARRAY_SIZE(styles));
	tcase_add_test(tc, the_calendar_has_no_gaps);
	tcase_add_loop_test(tc, a_zone_has_an_offset, 0,
			    (int)ARRAY_SIZE(zones));
	suite_add_tcase(suite, tc);
}
