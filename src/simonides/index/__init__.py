"""What is kept in memory so that a query touches few rows?"""
