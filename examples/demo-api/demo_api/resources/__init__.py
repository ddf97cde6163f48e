"""The resources of the sample domain: enterprises, employees, meetings, people, inspections."""
